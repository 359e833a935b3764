/** Limits the memory for prompts and answers that pumps read at the same time. */
interface Waiter {
  bytes: number;
  organizationId: string;
  enter(): void;
}

/** The size of the room. Together with the contents cached for several pumps, it is 64 MiB. */
const MAX_BYTES = 48 * 1024 ** 2;
/** The largest share of one organization, so that its slow tools do not hold up those of others. */
const SHARE = 1 / 4;

interface Room {
  maxBytes: number;
  waiters: Waiter[];
  /** The bytes that each organization holds. */
  held: Map<string, number>;
  free: number;
}

/** Limits the memory that prompts and answers take in a process, over all its pumps. */
export function createContentRoom(maxBytes = MAX_BYTES) {
  const room: Room = { maxBytes, waiters: [], held: new Map<string, number>(), free: maxBytes };

  return {
    /**
     * Waits until there is room, in the order of the calls. An organization that has used up its share is skipped until
     * it releases memory. A request above the share is admitted when its organization holds nothing. Returns the
     * function that releases the room; null when the signal aborts first.
     */
    take: (
      requestedBytes: number,
      organizationId: string,
      signal: AbortSignal,
    ): Promise<(() => void) | null> =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        // A request above the whole size would never be admitted.
        const bytes = Math.min(requestedBytes, maxBytes);
        const leave = (): void => {
          room.waiters.splice(room.waiters.indexOf(waiter), 1);
          resolve(null);
          admit(room);
        };
        const waiter: Waiter = {
          bytes,
          organizationId,
          enter() {
            signal.removeEventListener('abort', leave);
            resolve(releaseOnce(room, organizationId, bytes));
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        room.waiters.push(waiter);
        admit(room);
      }),
  };
}

export type ContentRoom = ReturnType<typeof createContentRoom>;

function hasItsShare(room: Room, { bytes, organizationId }: Waiter): boolean {
  const holds = room.held.get(organizationId) ?? 0;
  return holds > 0 && holds + bytes > room.maxBytes * SHARE;
}

function hold(room: Room, organizationId: string, bytes: number): void {
  room.free -= bytes;
  const holds = (room.held.get(organizationId) ?? 0) + bytes;
  if (holds > 0) room.held.set(organizationId, holds);
  else room.held.delete(organizationId);
}

function admit(room: Room): void {
  const passedOver = new Set<string>();
  for (let at = 0; at < room.waiters.length;) {
    const waiter = room.waiters[at]!;
    const { bytes, organizationId, enter } = waiter;
    if (passedOver.has(organizationId) || hasItsShare(room, waiter)) {
      passedOver.add(organizationId);
      at += 1;
      continue;
    }
    // Smaller requests behind this one must not delay it.
    if (bytes > room.free) return;
    room.waiters.splice(at, 1);
    hold(room, organizationId, bytes);
    enter();
  }
}

function releaseOnce(room: Room, organizationId: string, bytes: number): () => void {
  let isReleased = false;
  return () => {
    if (isReleased) return;
    isReleased = true;
    hold(room, organizationId, -bytes);
    admit(room);
  };
}
