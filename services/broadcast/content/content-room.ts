/** Limits the memory for prompts and answers that pumps read at the same time. */
interface Waiter {
  bytes: number;
  workspaceId: string;
  enter(): void;
}

/** The size of the room. Together with the contents cached for several pumps, it is 64 MiB. */
const MAX_BYTES = 48 * 1024 ** 2;
/** The largest share of one workspace, so that its slow tools do not hold up those of others. */
const SHARE = 1 / 4;

interface Room {
  maxBytes: number;
  waiters: Waiter[];
  /** The bytes that each workspace holds. */
  held: Map<string, number>;
  free: number;
}

/** Limits the memory that prompts and answers take in a process, over all its pumps. */
export function createContentRoom(maxBytes = MAX_BYTES) {
  const room: Room = { maxBytes, waiters: [], held: new Map<string, number>(), free: maxBytes };

  return {
    /**
     * Waits until there is room, in the order of the calls. A workspace that has used up its share is skipped until it
     * releases memory. A request above the share is admitted when its workspace holds nothing. Returns the function
     * that releases the room; null when the signal aborts first.
     */
    take: (requestedBytes: number, workspaceId: string, signal: AbortSignal): Promise<(() => void) | null> =>
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
          workspaceId,
          enter() {
            signal.removeEventListener('abort', leave);
            resolve(releaseOnce(room, workspaceId, bytes));
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        room.waiters.push(waiter);
        admit(room);
      }),
  };
}

export type ContentRoom = ReturnType<typeof createContentRoom>;

function hasItsShare(room: Room, { bytes, workspaceId }: Waiter): boolean {
  const holds = room.held.get(workspaceId) ?? 0;
  return holds > 0 && holds + bytes > room.maxBytes * SHARE;
}

function hold(room: Room, workspaceId: string, bytes: number): void {
  room.free -= bytes;
  const holds = (room.held.get(workspaceId) ?? 0) + bytes;
  if (holds > 0) room.held.set(workspaceId, holds);
  else room.held.delete(workspaceId);
}

function admit(room: Room): void {
  const passedOver = new Set<string>();
  for (let at = 0; at < room.waiters.length;) {
    const waiter = room.waiters[at]!;
    const { bytes, workspaceId, enter } = waiter;
    if (passedOver.has(workspaceId) || hasItsShare(room, waiter)) {
      passedOver.add(workspaceId);
      at += 1;
      continue;
    }
    // Smaller requests behind this one must not delay it.
    if (bytes > room.free) return;
    room.waiters.splice(at, 1);
    hold(room, workspaceId, bytes);
    enter();
  }
}

function releaseOnce(room: Room, workspaceId: string, bytes: number): () => void {
  let isReleased = false;
  return () => {
    if (isReleased) return;
    isReleased = true;
    hold(room, workspaceId, -bytes);
    admit(room);
  };
}
