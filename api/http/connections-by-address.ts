/** Groups connections by address, and finds the address with the most waiting connections. */
import type { Socket } from 'node:net';

/**
 * The ways in which a connection waits. `half_open`: its first request is neither authenticated nor ended (this is not
 * TCP's half-open). `idle`: a request has ended, and no authenticated one is in flight.
 */
export const WAITS = ['half_open', 'idle'] as const;
export type Wait = (typeof WAITS)[number];

export interface AddressConnections {
  readonly address: string;
  readonly isTrustedProxy: boolean;
  /** The number of connections, waiting or not. */
  count: number;
  /** The waiting connections, in the order in which they began to wait. */
  readonly waiting: Readonly<Record<Wait, Set<Socket>>>;
}

/** Holds the addresses with connections. A change takes the same time for any number of addresses. */
export function createConnectionsByAddress() {
  const all = new Map<string, AddressConnections>();
  /** At index n: the addresses of weight n, the one that has had it longest first. */
  const byWaiting: Set<AddressConnections>[] = [];
  let most = 0;

  return {
    of: (address: string, isTrustedProxy: boolean): AddressConnections =>
      all.get(address) ?? {
        address,
        isTrustedProxy,
        count: 0,
        waiting: { half_open: new Set(), idle: new Set() },
      },
    /** Stores an address, or removes it if it has no connections. Call it after each change of `count`. */
    keep(entry: AddressConnections): void {
      if (entry.count === 0) all.delete(entry.address);
      else all.set(entry.address, entry);
    },
    /** Moves an address to the group of its new weight. Call it after each change of `waiting`, with the old weight. */
    place(entry: AddressConnections, before: number): void {
      const after = weightOf(entry);
      if (after === before) return;
      byWaiting[before]?.delete(entry);
      if (after > 0) (byWaiting[after] ??= new Set()).add(entry);
      most = Math.max(most, after);
    },
    /** Returns the address of the largest weight; among equals, the one that has had it longest. */
    withMostWaiting(): AddressConnections | undefined {
      for (; most > 0; most -= 1) {
        const [entry] = byWaiting[most] ?? [];
        if (entry !== undefined) return entry;
      }
      return undefined;
    },
    waiting(how: Wait): number {
      let sum = 0;
      for (const entry of all.values()) sum += entry.waiting[how].size;
      return sum;
    },
  };
}

/** Returns the number of waiting connections; at most 1 for a trusted proxy, which carries many callers. */
export function weightOf({ isTrustedProxy, waiting }: AddressConnections): number {
  const size = waiting.half_open.size + waiting.idle.size;
  return isTrustedProxy ? Math.min(1, size) : size;
}

/** Returns the half-open connection that has waited longest; without one, the idle one that has. */
export function longestWaiting({ waiting }: AddressConnections): { socket: Socket; how: Wait } | undefined {
  for (const how of WAITS) {
    const [socket] = waiting[how];
    if (socket !== undefined) return { socket, how };
  }
  return undefined;
}
