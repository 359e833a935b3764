/** The longest time, apart from the event under way, for which other work of the process waits. */
const TURN_MS = 10;

/** The time for which a pump may work before other work of the process goes first. */
export interface WorkTurn {
  isOver(): boolean;
  /** Lets other work of the process run, and begins the next turn. */
  next(): Promise<void>;
}

/**
 * Begins a turn. Turns are limited by time, because one event may take a microsecond, or much longer for its filters.
 */
export function beginWorkTurn(now: () => number): WorkTurn {
  let beganAtMs = now();
  return {
    isOver: () => now() - beganAtMs > TURN_MS,
    async next() {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      beganAtMs = now();
    },
  };
}
