import type { ModelStatisticsReadModel } from '../../../db/catalog/model-statistics-read-model.ts';
import type { ModelStatisticsStore } from '../../../db/catalog/model-statistics-store.ts';
import type { Logger } from '../../../platform/logger.ts';
import { addUpCalls } from './endpoint-tallies.ts';
import { createFillStretches } from './fill-stretches.ts';
import { createPacedReading } from './paced-reading.ts';
import { readCalls } from './read-calls.ts';
import { readRecent, RECENT_MS } from './read-recent.ts';
import { DAY_MS, DAYS, HOUR_MS, HOURS } from './statistics-window.ts';

/** Reads the ledger for the statistics of models and endpoints, and writes them to the table of all API processes. */
export interface ModelStatisticsFiller {
  /** The last half hour, and so published before all else. */
  fillRecent(signal: AbortSignal): Promise<void>;
  /** The hours of a day and the days of a month. Rejects when one cannot be read; the others are written. */
  fillPast(signal: AbortSignal): Promise<void>;
  /** Does both in the background, each when its time has come. Costs nothing otherwise. */
  wake(): void;
  /** Stops what is under way at its next statement. */
  close(): Promise<void>;
}

export interface ModelStatisticsFillerOptions {
  ledger: ModelStatisticsReadModel;
  store: ModelStatisticsStore;
  intervalMs: number;
  logger: Pick<Logger, 'warn'>;
  now?: () => number;
}

/** A generation is recorded when it ends, which may be long after it began. */
const HOUR_STILL_OPEN_MS = HOUR_MS;
/** What waited in a spool is added to the day on which it settled. */
const DAY_STILL_OPEN_MS = 2 * DAY_MS;

/** The recent part has a pace of its own: what is slow to read in the past does not hold it up. */
export function createModelStatisticsFiller(options: ModelStatisticsFillerOptions): ModelStatisticsFiller {
  const { ledger, store, now = Date.now } = options;
  const fillDays = createFillStretches({
    part: 'day',
    lengthMs: DAY_MS,
    count: DAYS,
    openMs: DAY_STILL_OPEN_MS,
    read: (day) => ledger.modelUseOn(day),
    store,
    now,
  });
  const fillHours = createFillStretches({
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
    fillRecent,
    fillPast,
    wake() {
      for (const reading of readings) reading.wake();
    },
    async close() {
      await Promise.all(readings.map((reading) => reading.close()));
    },
  };
}
