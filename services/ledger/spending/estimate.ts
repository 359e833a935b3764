/** Computes what an estimate may cost at most, and recognizes estimates of nothing. */
import type { Spend } from '../../../domain/ledger/spending-limit.ts';
import type { Estimate, Reservation } from './spending.ts';

/** The reservation of a request that costs nothing, or whose caller has no limits. */
export const FREE: Reservation = { held: 0n, settle: () => {} };

/** Returns whether a request with this estimate costs nothing. */
export function isNothing({ usage, byok, output }: Estimate): boolean {
  return usage === 0n && byok === 0n && (output === undefined || (output.least === 0n && output.most === 0n));
}

/**
 * Returns the highest possible cost of a request for which `held` is reserved. Its output is limited to that amount.
 */
export function mostOf({ usage, byok, most }: Estimate, held: Spend): Spend {
  if (most === undefined) return held;
  return { usage: held.usage + most.usage - usage, byok: held.byok + most.byok - byok };
}
