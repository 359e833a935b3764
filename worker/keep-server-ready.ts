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

/**
 * Sees to it, now and again and again, that Temporal has the search attributes and schedules: a dev server
 * that lost its file has forgotten both while the worker lives on. Never throws after the first call.
 */
export async function keepServerReady(options: ServerReadyOptions): Promise<{ stop(): void }> {
  const ensure = async (): Promise<void> => {
    await ensureSearchAttributes(options);
    await ensureSchedules(options.client, options.intervals);
  };
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const again = (): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      ensure()
        .catch((error: unknown) => {
          options.logger.warn({ err: error }, 'schedules could not be checked; tried again soon');
        })
        .finally(again);
    }, options.everyMs);
  };
  await ensure();
  again();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
