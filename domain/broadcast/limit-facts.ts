/** Limits the size of the facts that a request adds to the broadcast log. */
import type { BroadcastFacts } from '../ledger/broadcast-facts.ts';

/** The most bytes of facts as JSON. They are written with the ledger's row, so a larger size delays callers. */
const MAX_BYTES = 16 * 1024;

type Trace = Record<string, unknown>;

/**
 * Removes parts of facts that are too large: the caller's trace keys one by one, largest first, then the parameters.
 */
export function limitFacts(facts: BroadcastFacts): BroadcastFacts {
  const excess = bytesOf(facts) - MAX_BYTES;
  if (excess <= 0) return facts;
  const { trace, removed } = withoutLargest(facts.trace ?? {}, excess);
  return removed >= excess ? { ...facts, trace } : { ...facts, trace, parameters: {} };
}

/** Removes keys of a trace, the largest first, until it takes no more bytes as JSON. */
export function limitTrace<T extends Trace>(trace: T, maxBytes: number): T {
  const excess = bytesOf(trace) - maxBytes;
  return excess <= 0 ? trace : withoutLargest(trace, excess).trace;
}

function withoutLargest<T extends Trace>(trace: T, excess: number): { trace: T; removed: number } {
  // An entry takes the bytes of an object of its own, without the braces and with a comma.
  const sizes = Object.entries(trace)
    .map(([name, value]) => ({ name, size: bytesOf({ [name]: value }) - 1 }))
    .sort((a, b) => b.size - a.size);
  const kept: Trace = { ...trace };
  let removed = 0;
  for (const { name, size } of sizes) {
    if (removed >= excess) break;
    delete kept[name];
    removed += size;
  }
  return { trace: kept as T, removed };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
