/** Counts the wrong keys that each address sends, and refuses further look-ups of an address that sends too many. */
import { LRUCache } from 'lru-cache';

export interface WrongKeys {
  /** Returns for how long look-ups of the address are refused; 0 if they are not. */
  refusedForMs(address: string): number;
  /** Counts a wrong key. */
  add(address: string): void;
  /** Refuses the look-ups of an address, because it sent too many wrong keys to other processes. */
  refuse(address: string, forMs: number): void;
}

/** The number of wrong keys in a minute at which look-ups of an address are refused. */
const MAX_WRONG_KEYS = 50;
const WINDOW_MS = 60_000;
/** The most addresses that are counted; the one whose count was used longest ago makes room for another one. */
const MAX_ADDRESSES = 50_000;

interface Count {
  wrong: number;
  untilMs: number;
}

/** Creates the counts. The minute of an address begins with its first wrong key. */
export function createWrongKeys(now: () => number = Date.now): WrongKeys {
  const counts = new LRUCache<string, Count>({ max: MAX_ADDRESSES });
  const countOf = (address: string): Count | undefined => {
    const count = counts.get(address);
    return count === undefined || count.untilMs <= now() ? undefined : count;
  };
  return {
    refusedForMs(address) {
      const count = countOf(address);
      return count === undefined || count.wrong < MAX_WRONG_KEYS ? 0 : count.untilMs - now();
    },
    add(address) {
      const count = countOf(address);
      if (count === undefined) counts.set(address, { wrong: 1, untilMs: now() + WINDOW_MS });
      else count.wrong += 1;
    },
    refuse(address, forMs) {
      counts.set(address, { wrong: MAX_WRONG_KEYS, untilMs: now() + forMs });
    },
  };
}
