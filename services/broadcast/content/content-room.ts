/** Limits the memory that prompts and answers take in a process, over all its pumps. */
export interface ContentRoom {
  /**
   * Waits until there is room, in the order of the calls. Returns the function that gives the room back; null when the
   * signal aborts first.
   */
  take(bytes: number, signal: AbortSignal): Promise<(() => void) | null>;
}

interface Waiter {
  bytes: number;
  enter(): void;
}

const MAX_BYTES = 64 * 1024 ** 2;

export function createContentRoom(maxBytes = MAX_BYTES): ContentRoom {
  const waiters: Waiter[] = [];
  let free = maxBytes;

  const admit = (): void => {
    while (waiters.length > 0 && waiters[0]!.bytes <= free) {
      const { bytes, enter } = waiters.shift()!;
      free -= bytes;
      enter();
    }
  };
  const giveBack = (bytes: number): (() => void) => {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      free += bytes;
      admit();
    };
  };

  return {
    take: (asked, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        // More than there is of it would wait until the process ends.
        const bytes = Math.min(asked, maxBytes);
        const leave = (): void => {
          waiters.splice(waiters.indexOf(waiter), 1);
          resolve(null);
          admit();
        };
        const waiter: Waiter = {
          bytes,
          enter() {
            signal.removeEventListener('abort', leave);
            resolve(giveBack(bytes));
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        waiters.push(waiter);
        admit();
      }),
  };
}
