import type { Principal } from '../../domain/principal.ts';
import type { Spend } from '../../domain/spending-limit.ts';

/** What a request in flight may cost at most, kept free until it is settled. */
export interface Reservation {
  /**
   * Gives back what was reserved; `spent` counts until the counters of the database show it. Call it however the
   * request ends, after the ledger has taken the row if there is one: what is settled earlier may be missed for a
   * second. Only the first call counts.
   */
  settle(spent: Spend): void;
}

/** Limits of keys, credit of organizations and budgets of workspaces, checked in memory (design: §5). */
export interface Spending {
  /**
   * Throws `key_limit_exceeded`, `insufficient_credits` or `budget_exceeded` (402) when what is left does not cover
   * the estimate, and the error of Postgres when a payer's counters are not in memory and cannot be read. No database
   * read while they are. Nothing is refused or kept for an estimate of nothing.
   */
  reserve(principal: Principal, estimate: Spend): Promise<Reservation>;
  /**
   * Counts what was committed without a reservation of this process, such as the price of a video job, from now on and
   * not only from the next read of the counters. Call it after the commit.
   */
  note(principal: Principal, spent: Spend): void;
}
