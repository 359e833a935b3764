/** Defines the interface for reserving and settling the cost of requests under spending limits. */
import type { AppError } from '../../../domain/errors.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { Ceiling } from '../../../domain/ceiling.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { Spend } from '../../../domain/ledger/spending-limit.ts';

/** The cost of a request: a known part and, for text, a part that the gateway can limit. */
export interface Estimate extends Spend {
  output?: OutputEstimate | undefined;
  /** True when the customer's own provider is paid for the output. When absent, the output counts as usage. */
  isByok?: boolean;
  /** The highest possible amounts, without the output. When absent, the estimate's own. */
  most?: Spend;
}

/** The part of an estimate that grows with the answer, in addition to the estimate's amounts. */
export interface OutputEstimate {
  /** The cost of the shortest useful answer. */
  least: Nanos;
  /** The cost of the longest answer; null when its length is unknown. */
  most: Nanos | null;
  /**
   * Returns how many tokens of an answer the money pays for; the 402 states that number. Infinity when answers are
   * free.
   */
  tokensFor(money: Nanos): number;
}

/** The highest cost of a request in flight, reserved until it is settled. */
export interface Reservation {
  /** The reserved amount of the output's kind (usage or BYOK), including the part for the output. */
  held: Nanos;
  /**
   * Releases the reservation; `spent` counts until the counters of the database contain it. Call it for every end of
   * the request. If the request has a row, call it after the ledger has stored the row; otherwise limits may miss the
   * amount for a second. Only the first call counts.
   */
  settle(spent: Spend): void;
}

/** Checks limits of keys, credit of organizations and budgets of workspaces in memory (docs/design.md, The ledger). */
export interface Spending {
  /**
   * Reserves the estimates of one request, of which only one will be spent. For an output, reserves a sixteenth of
   * what is left, but not less than `least` and not more than `most`. So one request without a limit of its own
   * leaves room for others. For an estimate that the money left does not cover with the least output, returns
   * `key_limit_exceeded`, `insufficient_credits` or `budget_exceeded` (402) in place of the reservation.
   *
   * Throws the error of Postgres when a payer's counters are not in memory and cannot be read. While they are in
   * memory, it does not read the database. Accepts every estimate of zero, and reserves nothing for it.
   *
   * A request waits for its turn while other requests of its payer are in flight and the highest possible costs of
   * all of them do not fit the money left. Throws `rate_limited` with the reason `limit_busy` when the longest wait
   * is over, and `client_cancelled` when `gone` aborts.
   */
  reserve(
    principal: Principal,
    estimates: readonly Estimate[],
    gone?: AbortSignal,
  ): Promise<(Reservation | AppError)[]>;
  /**
   * Counts an amount that was committed without a reservation of this process, such as the price of a video job.
   * Limits apply it at once instead of after the next read of the counters. Call it after the commit.
   */
  note(principal: Principal, spent: Spend): void;
  /** Records that a ceiling refused a request for want of money, so that an alert can follow. `reserve` does so too. */
  noteRefusal(principal: Principal, ceiling: Ceiling): void;
}
