/** Computes the statistics of models from the ledger: by day, by hour, and for the last half hour. */
import type { ModelStatisticsReadModel } from '../../../db/catalog/model-statistics-read-model.ts';
import type { ModelStatisticsStore } from '../../../db/catalog/model-statistics-store.ts';
import type { Logger } from '../../../platform/logger.ts';
import { addUpCalls } from './endpoint-tallies.ts';
import { createFillPeriods } from './fill-periods.ts';
import { createPacedReading } from './paced-reading.ts';
import { readCalls, readRecent, RECENT_MS } from './read-calls.ts';
import { DAY_MS, DAYS, HOUR_MS, HOURS } from './statistics-window.ts';

export interface ModelStatisticsFillerOptions {
  ledger: ModelStatisticsReadModel;
  store: ModelStatisticsStore;
  intervalMs: number;
  logger: Pick<Logger, 'warn'>;
  now?: () => number;
}

/** The time after an hour in which its rows may still arrive: a generation is recorded when it ends. */
const HOUR_STILL_OPEN_MS = HOUR_MS;
/** The time after a day in which its rows may still arrive: a row from a spool counts for the day of its settlement. */
const DAY_STILL_OPEN_MS = 2 * DAY_MS;

/** Creates the filler. The recent part runs at its own intervals, so that slow reads of the past do not delay it. */
export function createModelStatisticsFiller(options: ModelStatisticsFillerOptions) {
  const { ledger, store, now = Date.now } = options;
  const fillDays = createFillPeriods({
    part: 'day',
    lengthMs: DAY_MS,
    count: DAYS,
    openMs: DAY_STILL_OPEN_MS,
    read: (day) => ledger.modelUseOn(day),
    store,
    now,
  });
  const fillHours = createFillPeriods({
    part: 'hour',
    lengthMs: HOUR_MS,
    count: HOURS,
    openMs: HOUR_STILL_OPEN_MS,
    read: async (since, until, signal) =>
      addUpCalls(await readCalls(ledger, since.getTime(), until.getTime(), signal)),
    store,
    now,
  });

  const fillRecent = async (signal: AbortSignal): Promise<void> => {
    const readAtMs = now();
    const value = await readRecent(ledger, readAtMs, signal);
    const startsAt = new Date(readAtMs - RECENT_MS);
    const tookMs = Math.max(0, Math.round(now() - readAtMs));
    await store.write({ part: 'recent', startsAt, value, readAt: new Date(readAtMs), tookMs });
    await store.deleteBefore('recent', startsAt);
  };
  const fillPast = async (signal: AbortSignal): Promise<void> => {
    const errors: unknown[] = [];
    for (const fill of [fillDays, fillHours]) {
      await fill(signal).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, 'the ledger was not read, or only a part of it');
  };

  const readings = [fillRecent, fillPast].map((fill) => createPacedReading(fill, { ...options, now }));
  return {
    /** Fills the last half hour. It is separate from `fillPast`, so that recent statistics are published first. */
    fillRecent,
    /** Fills the last 24 hours and the last 30 days. Rejects when a period cannot be read; the others are written. */
    fillPast,
    /** Starts each of the two in the background if it is due. */
    wake(): void {
      for (const reading of readings) reading.wake();
    },
    /** Stops the work under way at its next statement. */
    async close(): Promise<void> {
      await Promise.all(readings.map((reading) => reading.close()));
    },
  };
}

/**
 * Reads the statistics of models and endpoints from the ledger, and writes them to the table that all API processes
 * read.
 */
export type ModelStatisticsFiller = ReturnType<typeof createModelStatisticsFiller>;
