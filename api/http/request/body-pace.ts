/** Protects the API from callers who send their request bodies very slowly. */
import type { IncomingMessage } from 'node:http';

/** Detects request bodies that arrive too slowly. */
export interface BodyPace {
  /**
   * Watches a body until the returned function is called. Calls `tooSlow` once if fewer than `minBytes` arrive within a
   * window. By default that is 30 KiB in 30 seconds, or 1 KiB a second.
   */
  watch(request: IncomingMessage, tooSlow: () => void): () => void;
}

export interface PaceOptions {
  /** The number of bytes that must arrive in each window. */
  minBytes?: number;
  /** The time between two checks of all bodies, in milliseconds. */
  checkMs?: number;
  /** The number of checks in a window. */
  checksPerWindow?: number;
}

interface WatchedBody {
  request: IncomingMessage;
  tooSlow: () => void;
  /** The bytes that the connection had received at each check of the window, the oldest first. */
  received: number[];
}

/**
 * Creates a watch with one interval for all bodies, which runs only while there are any. A window is a number of checks
 * and not a time, so that a pause of this process does not count as a pause of the caller.
 */
export function createBodyPace({
  minBytes = 30 * 1024,
  checkMs = 5_000,
  checksPerWindow = 6,
}: PaceOptions = {}): BodyPace {
  const bodies = new Set<WatchedBody>();
  let interval: NodeJS.Timeout | undefined;
  const checkAll = (): void => {
    for (const body of bodies) {
      if (keepsPace(body, checksPerWindow, minBytes)) continue;
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
      interval ??= setInterval(checkAll, checkMs).unref();
      return () => void bodies.delete(body);
    },
  };
}

/**
 * Returns whether a body arrives fast enough. A body that this process has paused, to decompress it, begins a new
 * window.
 */
function keepsPace({ request, received }: WatchedBody, checksPerWindow: number, minBytes: number): boolean {
  const { bytesRead } = request.socket;
  if (request.isPaused()) received.length = 0;
  received.push(bytesRead);
  return received.length <= checksPerWindow || bytesRead - received.shift()! >= minBytes;
}
