/** Decides whether a request fits under its spending limits, and how much money it reserves. */
import type { Nanos } from '../../../domain/money.ts';
import { countedUnder, type Spend } from '../../../domain/ledger/spending-limit.ts';
import type { Ceiling } from '../../../domain/ceiling.ts';
import type { Estimate, OutputEstimate } from './spending.ts';

/** The answer for a request that does not fit under its ceilings. */
export interface NoRoom {
  refusing: Ceiling;
  /** The longest answer that would fit, in tokens; empty for requests without output tokens. */
  details: { affordableTokens?: number };
}

/**
 * The divisor for a request without a limit on its output: it reserves a sixteenth of what is left, so that many may
 * run at once.
 */
const SHARE = 16n;

/** Returns the amount to reserve for an estimate under these ceilings, or the first ceiling that has no room for it. */
export function roomFor(
  estimate: Estimate,
  ceilings: readonly Ceiling[],
  leftUnder: (ceiling: Ceiling) => Nanos,
): Spend | NoRoom {
  const { usage, byok, output, isByok } = estimate;
  const withOutput = (amount: Nanos): Spend =>
    isByok === true ? { usage, byok: byok + amount } : { usage: usage + amount, byok };
  const least = withOutput(output?.least ?? 0n);
  let refusing: Ceiling | undefined;
  /** The smallest amount left under any ceiling. */
  let left: Nanos | undefined;
  /** The amount left for output: `left` without the other parts of the request. */
  let leftForOutput: Nanos | undefined;
  for (const ceiling of ceilings) {
    const wanted = countedUnder(ceiling, least);
    // The request spends nothing under this ceiling.
    if (wanted === 0n) continue;
    const leftHere = leftUnder(ceiling);
    if (leftHere < wanted) refusing ??= ceiling;
    const forOutput = leftHere - countedUnder(ceiling, estimate);
    if (left === undefined || leftHere < left) left = leftHere;
    if (leftForOutput === undefined || forOutput < leftForOutput) leftForOutput = forOutput;
  }
  if (refusing !== undefined) return { refusing, details: affordable(output, leftForOutput) };
  if (output === undefined || left === undefined || leftForOutput === undefined) return least;
  return withOutput(atMost(leftForOutput, shareOf(left, output)));
}

function shareOf(left: Nanos, { least, most }: OutputEstimate): Nanos {
  const share = left / SHARE;
  if (share < least) return least;
  return most === null ? share : atMost(most, share);
}

function atMost(limit: Nanos, amount: Nanos): Nanos {
  return amount < limit ? amount : limit;
}

function affordable(output: OutputEstimate | undefined, money: Nanos = 0n): NoRoom['details'] {
  const tokens = output?.tokensFor(money > 0n ? money : 0n);
  return tokens === undefined || tokens === Infinity ? {} : { affordableTokens: tokens };
}
