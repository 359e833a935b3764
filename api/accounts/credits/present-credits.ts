/** Turns an organization's credit totals into the body of `GET /credits`, in US dollars. */
import type { Credits } from '../../../contract/accounts/credits.ts';
import type { CreditTotals } from '../../../db/accounts/credit-store.ts';
import { nanosToUsd } from '../../../domain/money.ts';

export function presentCredits({ boughtNanos, usedNanos }: CreditTotals): Credits {
  return { data: { total_credits: nanosToUsd(boughtNanos), total_usage: nanosToUsd(usedNanos) } };
}
