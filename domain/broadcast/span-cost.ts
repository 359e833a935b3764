import { type Nanos, nanosToUsd } from '../money.ts';
import type { BroadcastEvent } from './event.ts';
import type { BroadcastSpan } from './span.ts';

/** Returns the cost of the generation, in dollars. */
export function spanCostOf(event: BroadcastEvent): NonNullable<BroadcastSpan['cost']> {
  const { costNanos, upstreamCostNanos, isByok } = event;
  return {
    total: nanosToUsd(costNanos),
    upstream: upstreamCostNanos === null ? undefined : nanosToUsd(upstreamCostNanos),
    isByok,
  };
}

/**
 * Returns the cost of each kind of token in dollars; null unless the kinds add up to the billed amount exactly. Other
 * sums would contradict the bill.
 */
export function costAllocationOf(event: BroadcastEvent): Record<string, number> | null {
  const parts = new Map<string, Nanos>();
  for (const [kind, amount] of Object.entries(event.facts.costs ?? {})) {
    if (!/^-?\d+$/.test(amount)) return null;
    parts.set(kind, BigInt(amount));
  }
  let sum = 0n;
  for (const amount of parts.values()) sum += amount;
  if (parts.size === 0 || sum !== event.costNanos) return null;
  return Object.fromEntries(Array.from(parts, ([kind, amount]) => [kind, nanosToUsd(amount)]));
}
