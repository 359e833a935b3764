import type { Client, Connection } from '@temporalio/client';
import type { Logger } from '../platform/logger.ts';
import { ensureSchedules, type ScheduleIntervals } from './ensure-schedules.ts';
import { ensureSearchAttributes } from './ensure-search-attributes.ts';

const EVERY_MS = 60_000;

export interface ServerReadyOptions {
  client: Client;
  connection: Connection;
  namespace: string;
  logger: Logger;
  intervals: ScheduleIntervals;
}

/**
 * Sees to it, now and every minute, that Temporal has the search attributes and schedules: a dev server that
 * lost its file has forgotten both while the worker lives on. Never throws after the first call.
 */
export async function keepServerReady(options: ServerReadyOptions): Promise<{ stop(): void }> {
  const ensure = async (): Promise<void> => {
    await ensureSearchAttributes(options);
    await ensureSchedules(options.client, options.intervals);
  };
  await ensure();
  const timer = setInterval(() => {
    ensure().catch((error: unknown) => {
      options.logger.warn({ err: error }, 'schedules could not be checked; tried again in a minute');
    });
  }, EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
