import { operations } from '../../../contract/operations.ts';
import { presentCredits } from '../../presenters/credits.ts';
import { defineRoute } from '../../route.ts';

export const getCredits = defineRoute(operations.getCredits, async ({ principal }, { services }) => ({
  status: 200,
  body: presentCredits(await services.credits.totals(principal.organizationId)),
}));
