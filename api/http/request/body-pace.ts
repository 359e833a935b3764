import type { IncomingMessage } from 'node:http';

export interface PaceOptions {
  /** The number of bytes that must arrive in each window. */
  minBytes?: number;
  /** The time between two checks of the bodies under way. */
  lookMs?: number;
  /** The number of checks that make a window. */
  looks?: number;
}

/** Ends requests whose bodies arrive too slowly. */
export interface BodyPace {
  /**
   * Watches a body until the returned function is called. Calls `tooSlow` once when fewer than `minBytes` have come
   * within a window: 30 KiB in 30 seconds, which is 1 KiB a second.
   */
  watch(request: IncomingMessage, tooSlow: () => void): () => void;
}

interface WatchedBody {
  request: IncomingMessage;
  tooSlow: () => void;
  /** The bytes that the connection had received at each check of the window, the oldest first. */
  received: number[];
}

/**
 * Creates a watch with one interval for all bodies, which runs only while there are any. A window is counted in looks
 * and not in time, so that a process that was paused does not take its own pause for the caller's.
 */
export function createBodyPace({
  minBytes = 30 * 1024,
  lookMs = 5_000,
  looks = 6,
}: PaceOptions = {}): BodyPace {
  const bodies = new Set<WatchedBody>();
  let interval: NodeJS.Timeout | undefined;
  const look = (): void => {
    for (const body of bodies) {
      if (keepsPace(body, looks, minBytes)) continue;
      bodies.delete(body);
      body.tooSlow();
    }
    if (bodies.size > 0) return;
    clearInterval(interval);
    interval = undefined;
  };
  return {
    watch(request, tooSlow) {
      const body = { request, tooSlow, received: [] };
      bodies.add(body);
      interval ??= setInterval(look, lookMs).unref();
      return () => void bodies.delete(body);
    },
  };
}

/** Judges one body at a look. A body that is paused here, because it is being decompressed, begins a new window. */
function keepsPace({ request, received }: WatchedBody, looks: number, minBytes: number): boolean {
  const { bytesRead } = request.socket;
  if (request.isPaused()) received.length = 0;
  received.push(bytesRead);
  return received.length <= looks || bytesRead - received.shift()! >= minBytes;
}
