/** Handles `GET /credits`: returns the credits that the organization bought and used. */
import { operations } from '../../../contract/operations.ts';
import { presentCredits } from './present-credits.ts';
import { defineRoute } from '../../http/route.ts';

export const getCredits = defineRoute(operations.getCredits, async ({ principal }, { services }) => ({
  status: 200,
  body: presentCredits(await services.credits.totals(principal.organizationId)),
}));
