import type { Nanos } from '../../../domain/money.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { Spend } from '../../../domain/ledger/spending-limit.ts';

/** The cost of a request: a part that is known and, where it makes text, a part that the gateway can limit. */
export interface Estimate extends Spend {
  output?: OutputEstimate;
  /** The customer's own provider is paid for the output. Absent: the output is usage. */
  isByok?: boolean;
}

/** The part of an estimate that grows with the answer, beside the amounts of the estimate. */
export interface OutputEstimate {
  /** With less there is no answer worth having. */
  least: Nanos;
  /** For the longest answer; null where nobody knows how long that is. */
  most: Nanos | null;
  /** How long an answer so much money pays for, in tokens; a refusal tells it. Infinity where answers are free. */
  tokensFor(money: Nanos): number;
}

/** What a request in flight may cost at most, kept free until it is settled. */
export interface Reservation {
  /** All that is kept free of the kind that the output is, the part for the output included. */
  held: Nanos;
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
   * Holds the estimate, and of its output a sixteenth of what is left, but no less than its least and no more than its
   * most: so one request without a limit of its own leaves room for others.
   *
   * Throws `key_limit_exceeded`, `insufficient_credits` or `budget_exceeded` (402) when what is left does not cover
   * the estimate and the least output, and the error of Postgres when a payer's counters are not in memory and cannot
   * be read. No database read while they are. Nothing is refused or kept for an estimate of nothing.
   */
  reserve(principal: Principal, estimate: Estimate): Promise<Reservation>;
  /**
   * Counts what was committed without a reservation of this process, such as the price of a video job, from now on and
   * not only from the next read of the counters. Call it after the commit.
   */
  note(principal: Principal, spent: Spend): void;
}
