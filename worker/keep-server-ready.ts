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
  /** From the end of one look to the next. */
  everyMs: number;
}

export interface ServerKeeper {
  /** Resolves when no look is under way: the SDK would throw out of a timer if it repeated a call on a closed connection. */
  stop(): Promise<void>;
}

/** A look that hangs would be the last one, and a worker that stops waits for the one under way. */
const LOOK_TIMEOUT_MS = 10_000;

/**
 * Sees to it, now and again and again, that Temporal has the search attributes and schedules, and that a run sweeps: a
 * dev server that lost its file has forgotten all of it while the worker lives on. Never throws after the first call.
 */
export async function keepServerReady(options: ServerReadyOptions): Promise<ServerKeeper> {
  const ensure = async (): Promise<void> => {
    await ensureSearchAttributes(options);
    await ensureSchedules(options.client, options.intervals);
  };
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let look = Promise.resolve();
  const again = (): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      look = options.connection
        .withDeadline(Date.now() + LOOK_TIMEOUT_MS, ensure)
        .catch((error: unknown) => {
          options.logger.warn({ err: error }, 'schedules could not be checked; tried again soon');
        })
        .finally(again);
    }, options.everyMs);
  };
  await ensure();
  again();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await look;
    },
  };
}
