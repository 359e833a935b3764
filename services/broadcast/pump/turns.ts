/** Decides when a pump ends its turn, because other destinations wait for theirs. */
import type { WaitingLine, WakeStore } from '../../../db/broadcast/wake-store.ts';

interface TurnDeps {
  store: Pick<WakeStore, 'lines'>;
  now(): number;
}

/** The time for which the lines are kept in memory. */
const READ_EVERY_MS = 1_000;
/** The wait of a destination above which others make room for it. Most pumps start at once. */
const WAITS_LONG_MS = 2_000;

/**
 * Creates the turns of the pumps of a process. One statement a second at most reads who waits. As many pumps end as
 * destinations wait: those of the same organization if it has its share of pumps, and those of any if no worker has a
 * slot.
 */
export function createTurns({ store, now }: TurnDeps) {
  let readAtMs = -Infinity;
  let lines: Promise<WaitingLine[]> = Promise.resolve([]);

  return {
    /** Returns whether a pump of the organization is to end, so that another destination can begin. */
    async mustEnd(organizationId: string): Promise<boolean> {
      if (now() - readAtMs >= READ_EVERY_MS) {
        readAtMs = now();
        lines = store.lines(WAITS_LONG_MS);
      }
      const line = (await lines).find(
        (one) => one.count > 0 && (one.isStarted || one.organizationId === organizationId),
      );
      if (line === undefined) return false;
      line.count -= 1;
      return true;
    },
  };
}

export type Turns = ReturnType<typeof createTurns>;
