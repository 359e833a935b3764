import { operations } from '../../../contract/operations.ts';
import { presentIntern } from '../../presenters/intern.ts';
import { defineRoute } from '../../route.ts';

export const getIntern = defineRoute(operations.getIntern, async ({ principal, params }, { services }) => ({
  status: 200,
  body: presentIntern(await services.interns.get(principal, params.internId)),
}));
