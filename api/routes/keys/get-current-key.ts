import { operations } from '../../../contract/operations.ts';
import { presentCurrentKey } from '../../presenters/current-key.ts';
import { defineRoute } from '../../route.ts';

export const getCurrentKey = defineRoute(operations.getCurrentKey, async ({ principal }, { services }) => ({
  status: 200,
  body: presentCurrentKey(await services.keyInfo.describeKey(principal)),
}));
