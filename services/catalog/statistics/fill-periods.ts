import type {
  ModelStatisticsStore,
  StatisticsParts,
  StatisticsRow,
} from '../../../db/catalog/model-statistics-store.ts';
import { isUnreachable } from '../../../db/outage.ts';
import { restAfter } from './rest-after.ts';

export interface StretchesOptions<Part extends 'hour' | 'day'> {
  part: Part;
  lengthMs: number;
  /** How many are kept, the present one among them. */
  count: number;
  /** Rows may be recorded up to this long after the stretch that they belong to. */
  openMs: number;
  read(since: Date, until: Date, signal: AbortSignal): Promise<StatisticsParts[Part]>;
  store: ModelStatisticsStore;
  now: () => number;
}

/**
 * Reads stretches that were never read, then those that may have changed, each the newest first, until that took a few
 * seconds; the rest is for the next turn. Passes by a stretch that cannot be read, and rejects in the end.
 */
export type FillStretches = (signal: AbortSignal) => Promise<void>;

/** The longest time that one turn may take. */
const BUDGET_MS = 5_000;

interface Try {
  atMs: number;
  tookMs: number;
}

/** A stretch that is over for long enough when it is read is read once. */
export function createFillStretches<Part extends 'hour' | 'day'>(
  options: StretchesOptions<Part>,
): FillStretches {
  const { part, lengthMs, count, openMs, read, store, now } = options;
  /** Readings that failed, which wait for their next turn like others. */
  const failures = new Map<number, Try>();

  const readings = async (): Promise<Map<number, Try>> => {
    const rows = await store.listReadings(part);
    return new Map(
      rows.map(({ startsAt, readAt, tookMs }) => [
        startsAt.getTime() / lengthMs,
        { atMs: readAt.getTime(), tookMs },
      ]),
    );
  };
  const isOver = (stretch: number, { atMs }: Try): boolean => atMs >= (stretch + 1) * lengthMs + openMs;
  const hasRested = (last: Try | undefined, nowMs: number): boolean =>
    last === undefined || nowMs - last.atMs >= restAfter(last.tookMs);

  const fill = async (stretch: number, signal: AbortSignal): Promise<void> => {
    const startedAtMs = now();
    const startsAt = new Date(stretch * lengthMs);
    const tookMs = (): number => Math.max(0, Math.round(now() - startedAtMs));
    try {
      const value = await read(startsAt, new Date((stretch + 1) * lengthMs), signal);
      const row = { part, startsAt, value, readAt: new Date(startedAtMs), tookMs: tookMs() };
      await store.write(row as StatisticsRow);
      failures.delete(stretch);
    } catch (error) {
      failures.set(stretch, { atMs: startedAtMs, tookMs: tookMs() });
      throw error;
    }
  };

  return async (signal) => {
    const startedAtMs = now();
    const current = Math.floor(startedAtMs / lengthMs);
    const first = current - count + 1;
    await store.deleteBefore(part, new Date(first * lengthMs));
    for (const stretch of failures.keys()) if (stretch < first) failures.delete(stretch);
    const known = await readings();
    const all = Array.from({ length: count }, (_, n) => current - n);
    // What may have changed is read again each time, and would otherwise leave no time for what was never read.
    const unknown = all.filter((stretch) => !known.has(stretch));
    const errors: unknown[] = [];
    for (const stretch of [...unknown, ...all.filter((each) => known.has(each))]) {
      signal.throwIfAborted();
      const nowMs = now();
      if (nowMs - startedAtMs > BUDGET_MS) break;
      const last = known.get(stretch);
      if (last !== undefined && isOver(stretch, last)) continue;
      if (!hasRested(last, nowMs) || !hasRested(failures.get(stretch), nowMs)) continue;
      await fill(stretch, signal).catch((error: unknown) => {
        // Without Postgres no other stretch can be read either.
        if (signal.aborted || isUnreachable(error)) throw error;
        errors.push(error);
      });
    }
    if (errors.length > 0) throw new AggregateError(errors, `the ledger was not read for each ${part}`);
  };
}
