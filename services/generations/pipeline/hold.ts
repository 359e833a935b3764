import type { Nanos } from '../../../domain/money.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { Target } from '../../../domain/routing.ts';
import { isSpendingRefusal } from '../../spending/refusal.ts';
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

type Targets = [Target, ...Target[]];

/** The money that is held for a request in flight. */
export interface Hold {
  reservation: Reservation;
  /** The targets that it pays for, best first. */
  targets: Targets;
  /** Returns the limit that the target is to be sent, in tokens of an answer: set where what is held pays for less. */
  outputLimit(target: Target): number | undefined;
}

const NOTHING: Omit<Hold, 'targets'> = {
  reservation: { held: 0n, settle: () => {} },
  outputLimit: () => undefined,
};

/**
 * Holds what a request may cost at any of its targets. Nothing is estimated for a caller whose spending nothing limits:
 * most requests are such. Where the money does not cover shared targets, those that the customer brought serve alone, since
 * the customer pays for them elsewhere; the 402 is thrown only where there are none.
 */
export async function holdFor(
  spending: Pick<Spending, 'reserve'>,
  principal: Principal,
  targets: Targets,
  estimateAt: (target: Target) => TargetEstimate,
): Promise<Hold> {
  const { ceilings } = principal;
  if (ceilings === undefined) return { ...NOTHING, targets };
  const [firstOwn, ...otherOwn] = targets.filter(({ own }) => own !== undefined);
  const limitsOwn = ceilings.some(({ includeByok }) => includeByok);
  const isHeldFor = ({ own }: Target): boolean => own === undefined || limitsOwn;
  const reserve = async (paid: Targets, isByok: boolean): Promise<Hold> => {
    const estimate = highestOf(paid.filter(isHeldFor).map(estimateAt), isByok);
    const reservation = await spending.reserve(principal, estimate);
    return {
      reservation,
      targets: paid,
      outputLimit: (target) => (isHeldFor(target) ? limitFor(reservation, estimateAt(target)) : undefined),
    };
  };
  if (firstOwn === undefined) return reserve(targets, false);
  const own: Targets = [firstOwn, ...otherOwn];
  if (own.length < targets.length) {
    try {
      return await reserve(targets, false);
    } catch (error) {
      if (!isSpendingRefusal(error)) throw error;
    }
  }
  return limitsOwn ? reserve(own, true) : { ...NOTHING, targets: own };
}

function limitFor({ held }: Reservation, { fixed, output }: TargetEstimate): number | undefined {
  if (output?.longest === undefined) return undefined;
  const affordable = output.tokensFor(held - fixed);
  return affordable < output.longest ? affordable : undefined;
}

/** One of the targets will serve, and nobody knows which. */
function highestOf(estimates: readonly TargetEstimate[], isByok: boolean): Estimate {
  let cost = 0n;
  let output: OutputEstimate | undefined;
  for (const estimate of estimates) {
    if (estimate.fixed > cost) cost = estimate.fixed;
    if (estimate.output !== undefined) output = output ? higher(output, estimate.output) : estimate.output;
  }
  const spend = isByok ? { usage: 0n, byok: cost, isByok } : { usage: cost, byok: 0n };
  return { ...spend, ...(output && { output }) };
}

function higher(a: OutputEstimate, b: OutputEstimate): OutputEstimate {
  return {
    least: a.least > b.least ? a.least : b.least,
    most: a.most === null || b.most === null ? null : a.most > b.most ? a.most : b.most,
    tokensFor: (money) => Math.min(a.tokensFor(money), b.tokensFor(money)),
  };
}
