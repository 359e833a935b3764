/** Restores the search attributes and schedules that the worker needs when the Temporal server lacks them. */
import type { Client, Connection } from '@temporalio/client';
import type { Logger } from '../platform/logger.ts';
import { ensureSchedules, type ScheduleIntervals } from './ensure-schedules.ts';
import { ensureSearchAttributes } from './ensure-search-attributes.ts';

export interface ServerReadyOptions {
  client: Client;
  connection: Connection;
  namespace: string;
  logger: Logger;
  intervals: ScheduleIntervals;
  /** Milliseconds from the end of one check to the start of the next. */
  everyMs: number;
}

export interface ServerKeeper {
  /**
   * Stops the checks and resolves when none is running. Call it before the connection closes, or the SDK would throw
   * from a timer.
   */
  stop(): Promise<void>;
}

/**
 * Limits one check to ten seconds. A check that hangs would prevent all later ones, and a worker that stops waits for
 * it.
 */
const CHECK_TIMEOUT_MS = 10_000;

/**
 * Makes sure, at once and then periodically, that Temporal has the search attributes and schedules, and that a run
 * sweeps. A dev server that lost its file has lost all of them while the worker keeps running. Only the first check may
 * throw.
 */
export async function keepServerReady(options: ServerReadyOptions): Promise<ServerKeeper> {
  const ensure = async (): Promise<void> => {
    await ensureSearchAttributes(options);
    await ensureSchedules(options.client, options.intervals);
  };
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let check = Promise.resolve();
  const scheduleNext = (): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      check = options.connection
        .withDeadline(Date.now() + CHECK_TIMEOUT_MS, ensure)
        .catch((error: unknown) => {
          options.logger.warn({ err: error }, 'schedules could not be checked; tried again soon');
        })
        .finally(scheduleNext);
    }, options.everyMs);
  };
  // A server that has just started may answer too late once.
  await ensure().catch(ensure);
  scheduleNext();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await check;
    },
  };
}
