import type { Nanos } from '../../../domain/money.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { Target } from '../../../domain/routing.ts';
import type { Estimate, OutputEstimate, Reservation, Spending } from '../../spending/spending.ts';

/** The cost of a request at one target, as far as it can be known before it is sent. */
export interface TargetEstimate {
  /** All but the output that the gateway can limit. */
  fixed: Nanos;
  output?: OutputEstimate & {
    /** The longest answer that the target makes, in tokens; absent where the caller limits it. */
    longest?: number;
  };
}

/** The money that is held for a request in flight. */
export interface Hold {
  reservation: Reservation;
  /** Returns the limit that the target is to be sent, in tokens of an answer: set where what is held pays for less. */
  outputLimit(target: Target): number | undefined;
}

const NOTHING_HELD: Hold = { reservation: { held: 0n, settle: () => {} }, outputLimit: () => undefined };

/**
 * Holds what a request may cost at any of its targets. Nothing is estimated for a caller whose spending nothing limits:
 * most requests are such.
 */
export async function holdFor(
  spending: Pick<Spending, 'reserve'>,
  principal: Principal,
  targets: readonly Target[],
  estimateAt: (target: Target) => TargetEstimate,
): Promise<Hold> {
  if (principal.ceilings === undefined) return NOTHING_HELD;
  const reservation = await spending.reserve(principal, highestOf(targets.map(estimateAt)));
  return {
    reservation,
    outputLimit(target) {
      const { fixed, output: { longest, tokensFor } = {} } = estimateAt(target);
      if (longest === undefined || tokensFor === undefined) return undefined;
      const affordable = tokensFor(reservation.held - fixed);
      return affordable < longest ? affordable : undefined;
    },
  };
}

/** One of the targets will serve, and nobody knows which. */
function highestOf(estimates: readonly TargetEstimate[]): Estimate {
  let usage = 0n;
  let output: OutputEstimate | undefined;
  for (const estimate of estimates) {
    if (estimate.fixed > usage) usage = estimate.fixed;
    if (estimate.output !== undefined) output = output ? higher(output, estimate.output) : estimate.output;
  }
  return { usage, byok: 0n, ...(output && { output }) };
}

function higher(a: OutputEstimate, b: OutputEstimate): OutputEstimate {
  return {
    least: a.least > b.least ? a.least : b.least,
    most: a.most === null || b.most === null ? null : a.most > b.most ? a.most : b.most,
    tokensFor: (money) => Math.min(a.tokensFor(money), b.tokensFor(money)),
  };
}
