/** Groups connections by address, and finds the address with the most waiting connections. */
import type { Socket } from 'node:net';

/** The ways in which a connection waits: for the end of its first request, or for a further one. */
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
  /** The addresses by their number of waiting connections. */
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
    /** Keeps an address while it has connections. Called after each change of their number. */
    keep(own: AddressConnections): void {
      if (own.count === 0) all.delete(own.address);
      else all.set(own.address, own);
    },
    /** Puts an address in its place. Called after each change of its waiting connections, with its weight before. */
    place(own: AddressConnections, before: number): void {
      const after = weightOf(own);
      if (after === before) return;
      byWaiting[before]?.delete(own);
      if (after > 0) (byWaiting[after] ??= new Set()).add(own);
      most = Math.max(most, after);
    },
    /** Returns the address with the most waiting connections; of several, the one that has had as many longest. */
    withMostWaiting(): AddressConnections | undefined {
      for (; most > 0; most -= 1) {
        const [own] = byWaiting[most] ?? [];
        if (own !== undefined) return own;
      }
      return undefined;
    },
    waiting(how: Wait): number {
      let sum = 0;
      for (const own of all.values()) sum += own.waiting[how].size;
      return sum;
    },
  };
}

/** Returns how much an address waits. A trusted proxy keeps connections for many callers, so it counts like one. */
export function weightOf({ isTrustedProxy, waiting }: AddressConnections): number {
  const size = waiting.half_open.size + waiting.idle.size;
  return isTrustedProxy ? Math.min(1, size) : size;
}

/** Returns the connection that has waited longest; a half-open one if there is any. */
export function longestWaiting({ waiting }: AddressConnections): { socket: Socket; how: Wait } | undefined {
  for (const how of WAITS) {
    const [socket] = waiting[how];
    if (socket !== undefined) return { socket, how };
  }
  return undefined;
}
