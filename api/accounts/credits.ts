/** Describes the credits of an organization. */
import type { creditOperations, Credits } from '../../contract/accounts/credits.ts';
import type { CreditStore, CreditTotals } from '../../db/accounts/credit-store.ts';
import { nanosToUsd } from '../../domain/money.ts';
import type { RoutesOf } from '../http/route.ts';

export const creditRoutes: RoutesOf<typeof creditOperations, { credits: Pick<CreditStore, 'totals'> }> = {
  /** Handles `GET /credits`: returns the credits that the organization bought and used. */
  getCredits: async ({ principal }, { services }) => ({
    status: 200,
    body: presentCredits(await services.credits.totals(principal.organizationId)),
  }),
};

/** Turns an organization's credit totals into the body of `GET /credits`, in US dollars. */
function presentCredits({ boughtNanos, usedNanos }: CreditTotals): Credits {
  return { data: { total_credits: nanosToUsd(boughtNanos), total_usage: nanosToUsd(usedNanos) } };
}
