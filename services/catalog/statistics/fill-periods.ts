/** Fills the statistics of past hours or days from the ledger, and reads again the periods that may have changed. */
import type {
  ModelStatisticsStore,
  StatisticsParts,
  StatisticsRow,
} from '../../../db/catalog/model-statistics-store.ts';
import { isUnreachable } from '../../../db/postgres/outage.ts';
import { restAfter } from './rest-after.ts';

export interface PeriodsOptions<Part extends 'hour' | 'day'> {
  part: Part;
  lengthMs: number;
  /** The number of periods to keep, the current one included. */
  count: number;
  /** The time after a period in which the ledger may still record rows of the period. */
  openMs: number;
  read(since: Date, until: Date, signal: AbortSignal): Promise<StatisticsParts[Part]>;
  store: ModelStatisticsStore;
  now: () => number;
}

/**
 * Reads periods that were never read, then those that may have changed, the newest first in each group. It stops
 * after a few seconds; the next call reads the rest. A period that cannot be read is skipped, and the call rejects at
 * its end.
 */
export type FillPeriods = (signal: AbortSignal) => Promise<void>;

/** The time after which a call starts no further reading. */
const BUDGET_MS = 5_000;

interface Reading {
  atMs: number;
  tookMs: number;
}

/** Creates a `FillPeriods`. A period that was read after its `openMs` had passed is not read again. */
export function createFillPeriods<Part extends 'hour' | 'day'>(options: PeriodsOptions<Part>): FillPeriods {
  const { part, lengthMs, count, openMs, read, store, now } = options;
  /** The failed readings. Like successful ones, they are repeated only after a pause. */
  const failures = new Map<number, Reading>();

  const readings = async (): Promise<Map<number, Reading>> => {
    const rows = await store.listReadings(part);
    return new Map(
      rows.map(({ startsAt, readAt, tookMs }) => [
        startsAt.getTime() / lengthMs,
        { atMs: readAt.getTime(), tookMs },
      ]),
    );
  };
  const isOver = (period: number, { atMs }: Reading): boolean => atMs >= (period + 1) * lengthMs + openMs;
  const hasRested = (last: Reading | undefined, nowMs: number): boolean =>
    last === undefined || nowMs - last.atMs >= restAfter(last.tookMs);

  const fill = async (period: number, signal: AbortSignal): Promise<void> => {
    const startedAtMs = now();
    const startsAt = new Date(period * lengthMs);
    const tookMs = (): number => Math.max(0, Math.round(now() - startedAtMs));
    try {
      const value = await read(startsAt, new Date((period + 1) * lengthMs), signal);
      const row = { part, startsAt, value, readAt: new Date(startedAtMs), tookMs: tookMs() };
      await store.write(row as StatisticsRow);
      failures.delete(period);
    } catch (error) {
      failures.set(period, { atMs: startedAtMs, tookMs: tookMs() });
      throw error;
    }
  };

  return async (signal) => {
    const startedAtMs = now();
    const current = Math.floor(startedAtMs / lengthMs);
    const first = current - count + 1;
    await store.deleteBefore(part, new Date(first * lengthMs));
    for (const period of failures.keys()) if (period < first) failures.delete(period);
    const known = await readings();
    const all = Array.from({ length: count }, (_, n) => current - n);
    // Unread periods come first: periods that may have changed are read again each time, and could use up the budget.
    const unknown = all.filter((period) => !known.has(period));
    const errors: unknown[] = [];
    for (const period of [...unknown, ...all.filter((each) => known.has(each))]) {
      signal.throwIfAborted();
      const nowMs = now();
      if (nowMs - startedAtMs > BUDGET_MS) break;
      const last = known.get(period);
      if (last !== undefined && isOver(period, last)) continue;
      if (!hasRested(last, nowMs) || !hasRested(failures.get(period), nowMs)) continue;
      await fill(period, signal).catch((error: unknown) => {
        // Without Postgres no other period can be read either.
        if (signal.aborted || isUnreachable(error)) throw error;
        errors.push(error);
      });
    }
    if (errors.length > 0) throw new AggregateError(errors, `the ledger was not read for each ${part}`);
  };
}
