/** Reserves money for a live request before any upstream is called, and limits its output to that amount. */
import { AppError } from '../../../domain/errors.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { LiveCall } from '../live-call.ts';
import { FREE } from '../../ledger/spending/estimate.ts';
import type { Estimate, OutputEstimate, Reservation, Spending } from '../../ledger/spending/spending.ts';

/** The cost of a request at one target, as known before the request is sent. */
export interface TargetEstimate {
  /** The cost of everything except output that the gateway can limit. */
  fixed: Nanos;
  /** The highest possible value of `fixed`, such as a token for each byte of the prompt. Absent: `fixed`. */
  mostFixed?: Nanos;
  output?: OutputEstimate & {
    /** The longest answer of the target, in tokens; absent when the caller limits it. */
    longest?: number | undefined;
  };
}

type Targets = [Target, ...Target[]];

/** The reserved money for a request in flight. */
export interface TargetReservation {
  reservation: Reservation;
  /** The targets that the reservation covers, best first. */
  targets: Targets;
  /**
   * Returns the limit to send to the target, in tokens of an answer. Undefined when the reservation covers the
   * longest answer.
   */
  outputLimit(target: Target): number | undefined;
}

/**
 * Reserves the highest cost of a request at any of its targets.
 *
 * A caller without spending limits, as most are, needs no estimate. A customer's own targets and shared targets are
 * paid separately. When the money for one of the two does not cover the request, only the other targets are tried.
 * Throws 402 when the money covers neither.
 */
export async function reserveFor(
  spending: Pick<Spending, 'reserve'>,
  { principal, signal }: Pick<LiveCall<unknown>, 'principal' | 'signal'>,
  targets: Targets,
  estimateAt: (target: Target) => TargetEstimate,
): Promise<TargetReservation> {
  const { ceilings } = principal;
  if (ceilings === undefined) return { reservation: FREE, targets, outputLimit: () => undefined };
  const own = targets.filter((target) => target.own !== undefined);
  const shared = targets.filter((target) => target.own === undefined);
  const limitsOwn = ceilings.some(({ includeByok }) => includeByok);
  // Own targets are tried first, so their reservation comes first; it may leave too little for the other.
  const [ownPart, sharedPart] = await reserveBoth(
    { targets: own, estimate: limitsOwn ? highestOf(own.map(estimateAt), true) : NO_COST },
    { targets: shared, estimate: highestOf(shared.map(estimateAt), false) },
    (estimates) => spending.reserve(principal, estimates, signal),
  );
  const paid = new Set([...ownPart.targets, ...sharedPart.targets]);
  const [first, ...others] = targets.filter((target) => paid.has(target));
  if (first === undefined) throw sharedPart.refusal ?? ownPart.refusal;
  return {
    reservation: joinReservations(ownPart.reservation, sharedPart.reservation),
    targets: [first, ...others],
    outputLimit(target) {
      const isOwn = target.own !== undefined;
      if (isOwn && !limitsOwn) return undefined;
      return limitFor(isOwn ? ownPart.reservation : sharedPart.reservation, estimateAt(target));
    },
  };
}

const NO_COST: Estimate = { usage: 0n, byok: 0n };

/** The targets of one kind, with their highest estimate. */
interface Wanted {
  targets: Target[];
  estimate: Estimate;
}

/** The targets of one kind, with their reservation. */
interface Part {
  /** Empty when the money does not cover them. */
  targets: Target[];
  reservation: Reservation;
  refusal?: AppError;
}

/**
 * Reserves both parts of a request, unless all its targets are free. A free part reserves nothing, and says that the
 * request is served although the money does not cover the other part.
 */
async function reserveBoth(
  own: Wanted,
  shared: Wanted,
  reserve: (estimates: Estimate[]) => Promise<(Reservation | AppError)[]>,
): Promise<[own: Part, shared: Part]> {
  const parts = [own, shared].filter(({ targets }) => targets.length > 0);
  const isFree = parts.every(({ estimate }) => estimate === NO_COST);
  const reserved = isFree ? [] : await reserve(parts.map(({ estimate }) => estimate));
  const partOf = (wanted: Wanted): Part => {
    const outcome = reserved[parts.indexOf(wanted)];
    if (outcome instanceof AppError) return { targets: [], reservation: FREE, refusal: outcome };
    return { targets: wanted.targets, reservation: outcome ?? FREE };
  };
  return [partOf(own), partOf(shared)];
}

/** Joins two reservations. Settling spends the amount of one and releases the other. */
function joinReservations(own: Reservation, shared: Reservation): Reservation {
  if (own === FREE) return shared;
  if (shared === FREE) return own;
  return {
    held: shared.held,
    settle({ usage, byok }) {
      own.settle({ usage: 0n, byok });
      shared.settle({ usage, byok: 0n });
    },
  };
}

function limitFor({ held }: Reservation, { fixed, output }: TargetEstimate): number | undefined {
  if (output?.longest === undefined) return undefined;
  const affordable = output.tokensFor(held - fixed);
  return affordable < output.longest ? affordable : undefined;
}

/** Returns the highest of the estimates, because any of the targets may serve the request. */
function highestOf(estimates: readonly TargetEstimate[], isByok: boolean): Estimate {
  let [cost, most] = [0n, 0n];
  let output: OutputEstimate | undefined;
  for (const estimate of estimates) {
    const { fixed, mostFixed = fixed } = estimate;
    if (fixed > cost) cost = fixed;
    if (mostFixed > most) most = mostFixed;
    if (estimate.output !== undefined) output = output ? higher(output, estimate.output) : estimate.output;
  }
  const spend = isByok
    ? { usage: 0n, byok: cost, most: { usage: 0n, byok: most }, isByok }
    : { usage: cost, byok: 0n, most: { usage: most, byok: 0n } };
  return { ...spend, output };
}

function higher(a: OutputEstimate, b: OutputEstimate): OutputEstimate {
  return {
    least: a.least > b.least ? a.least : b.least,
    most: a.most === null || b.most === null ? null : a.most > b.most ? a.most : b.most,
    tokensFor: (money) => Math.min(a.tokensFor(money), b.tokensFor(money)),
  };
}
