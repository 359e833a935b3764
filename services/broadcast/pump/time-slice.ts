/** Divides the work of a pump into slices of time, between which other work of the process runs. */

/** The longest time, apart from the event under way, for which other work of the process waits. */
const SLICE_MS = 10;

/** The time for which a pump may work before other work of the process goes first. */
interface TimeSlice {
  isOver(): boolean;
  /** Lets other work of the process run, and begins the next slice. */
  next(): Promise<void>;
}

/**
 * Begins a slice. Slices are limited by time, because one event may take a microsecond, or much longer for its filters.
 */
export function beginTimeSlice(now: () => number): TimeSlice {
  let beganAtMs = now();
  return {
    isOver: () => now() - beganAtMs > SLICE_MS,
    async next() {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      beganAtMs = now();
    },
  };
}
