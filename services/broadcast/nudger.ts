/** Wakes the workflows of idle destinations after a commit of new generations, or when their turn has come. */
import type { WakeStore } from '../../db/broadcast/wake-store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RunStarter } from '../runs/run-starter.ts';

export interface NudgerDeps {
  store: Pick<WakeStore, 'idleOf' | 'find'>;
  runs: Pick<RunStarter, 'nudgeBroadcast' | 'wakeBroadcast' | 'interruptBroadcast'>;
  logger: Pick<Logger, 'warn'>;
  /** Milliseconds between two queries of the database; a second when absent. */
  everyMs?: number;
}

const EVERY_MS = 1_000;
const NUDGES_AT_ONCE = 8;
const NOT_WOKEN = 'destinations were not woken; the sweep wakes them';

interface OpenNudges extends Pick<NudgerDeps, 'store' | 'runs' | 'logger'> {
  /** Workspaces whose log has grown. */
  grown: Set<string>;
  /** True: a pump has ended, and its place may be free for a destination that waits. */
  hasFreePlace: boolean;
}

/**
 * Creates the nudger. It makes at most one query a second, for the workspaces recorded meanwhile. A busy destination
 * has a pump that reads the log by itself, so only idle destinations get a signal. The sweep replaces lost signals.
 */
export function createNudger({ store, runs, logger, everyMs = EVERY_MS }: NudgerDeps) {
  const open: OpenNudges = { store, runs, logger, grown: new Set<string>(), hasFreePlace: false };
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const tick = (): void => {
    timer = undefined;
    running = wakeGrown(open).then(() => {
      running = undefined;
      if (open.grown.size > 0 || open.hasFreePlace) schedule();
    });
  };
  const schedule = (): void => {
    if (running === undefined) timer ??= setTimeout(tick, everyMs).unref();
  };

  const waking = new Set<Promise<void>>();

  return {
    /** Wakes the delivery of a destination that was edited or deleted. Neither waits nor throws. */
    wake(destinationId: string): void {
      const done = wakeOne(open, destinationId)
        .catch((error: unknown) => {
          logger.warn(
            { err: error, destinationId },
            'a destination was not woken; it may wait for its next attempt',
          );
        })
        .finally(() => waking.delete(done));
      waking.add(done);
    },
    /** Records workspaces with new generations. Call it after the commit. Neither waits nor throws. */
    noteLogged(workspaceIds: readonly string[]): void {
      for (const id of workspaceIds) open.grown.add(id);
      if (open.grown.size > 0) schedule();
    },
    /** Wakes a destination that waits for the place of a pump that has ended. Neither waits nor throws. */
    wakeNext(): void {
      open.hasFreePlace = true;
      schedule();
    },
    /** Wakes the destinations of recorded workspaces once more, and ends. */
    async close(): Promise<void> {
      clearTimeout(timer);
      await running;
      clearTimeout(timer);
      if (open.grown.size > 0) await wakeGrown(open);
      await Promise.all(waking);
    },
  };
}

/** Wakes idle destinations when their workspaces have new generations. */
export type Nudger = ReturnType<typeof createNudger>;

async function wakeGrown(open: OpenNudges): Promise<void> {
  const workspaceIds = [...open.grown];
  open.grown.clear();
  open.hasFreePlace = false;
  try {
    const idle = await open.store.idleOf(workspaceIds);
    while (idle.length > 0) {
      const nudges = idle.splice(0, NUDGES_AT_ONCE).map((input) => open.runs.nudgeBroadcast(input));
      const failures = (await Promise.allSettled(nudges)).flatMap((nudge) =>
        nudge.status === 'rejected' ? [nudge.reason as unknown] : [],
      );
      // When all signals failed, Temporal is unreachable. Otherwise the failure concerns one run.
      if (failures.length === nudges.length) throw failures[0];
      if (failures.length > 0) open.logger.warn({ err: failures[0] }, NOT_WOKEN);
    }
  } catch (error) {
    open.logger.warn({ err: error }, NOT_WOKEN);
  }
}

/**
 * Wakes the run of a destination. When the destination was disabled or deleted, a run that waits for its next attempt
 * ends at once.
 */
async function wakeOne(open: OpenNudges, destinationId: string): Promise<void> {
  const found = await open.store.find(destinationId);
  await (found === null ? open.runs.interruptBroadcast(destinationId) : open.runs.wakeBroadcast(found));
}
