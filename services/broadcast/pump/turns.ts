/** Decides when a pump ends its turn, because other destinations wait for theirs. */
import type { WaitingLine, WakeStore } from '../../../db/broadcast/wake-store.ts';

interface TurnDeps {
  store: Pick<WakeStore, 'lines'>;
  now(): number;
}

/** The time between two pumps of a process that end for others. */
const ONE_ENDS_EVERY_MS = 1_000;
/** The wait of a destination above which others make room for it. Most pumps start at once. */
const WAITS_LONG_MS = 2_000;

/**
 * Creates the turns of the pumps of a process. While destinations wait because their organization has its share of
 * pumps, pumps of this organization end. While runs are started and find no slot, pumps of any organization end.
 *
 * One pump ends each second, and one statement a second at most reads who waits: each turn costs the Temporal server
 * the start of a run, and the surplus of one customer must not fill it.
 */
export function createTurns({ store, now }: TurnDeps) {
  let readAtMs = -Infinity;
  let lines: Promise<WaitingLine[]> = Promise.resolve([]);
  let hasOneEnded = false;

  return {
    /** Returns whether a pump of the organization is to end, so that another destination can begin. */
    async mustEnd(organizationId: string): Promise<boolean> {
      if (now() - readAtMs >= ONE_ENDS_EVERY_MS) {
        readAtMs = now();
        hasOneEnded = false;
        lines = store.lines(WAITS_LONG_MS);
      }
      const waiting = await lines;
      if (hasOneEnded) return false;
      hasOneEnded = waiting.some((line) => line.isStarted || line.organizationId === organizationId);
      return hasOneEnded;
    },
  };
}

export type Turns = ReturnType<typeof createTurns>;
