/** Passes statistics of models from the worker that computes them to all API processes, through one table. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import type { EndpointAttempts, EndpointSpeed, ModelUse } from './model-statistics-read-model.ts';

/** The statistics of a period, by its kind: the last half hour, an hour, a UTC day. */
export interface StatisticsParts {
  recent: RecentStatistics;
  hour: EndpointAttempts[];
  day: ModelUse[];
}
export type StatisticsPart = keyof StatisticsParts;

/** Recent statistics, with at most one row per endpoint in each list. */
export interface RecentStatistics {
  minutes5: EndpointAttempts[];
  minutes30: EndpointAttempts[];
  speeds: EndpointSpeed[];
}

/** The period of a reading, the time when the worker read it, and how long the reading took. */
export interface StatisticsReading {
  startsAt: Date;
  readAt: Date;
  tookMs: number;
}

export type StatisticsRow = {
  [Part in StatisticsPart]: StatisticsReading & { part: Part; value: StatisticsParts[Part] };
}[StatisticsPart];

/** Stores statistics, which one worker writes and all API processes read. */
export function createModelStatisticsStore(handle: Handle) {
  return {
    /**
     * Adds or replaces the statistics of a period, unless the stored ones were read later: a slow attempt may end after
     * its successor.
     */
    async write({ part, startsAt, value, readAt, tookMs }: StatisticsRow): Promise<void> {
      await handle.raw(
        `insert into model_statistics as s (part, starts_at, value, read_at, took_ms) values (?, ?, ?, ?, ?)
         on conflict (part, starts_at) do update
         set value = excluded.value, read_at = excluded.read_at, took_ms = excluded.took_ms, written_at = now()
         where s.read_at <= excluded.read_at`,
        [part, startsAt, JSON.stringify(value), readAt, tookMs],
      );
    },

    async deleteBefore(part: StatisticsPart, startsAt: Date): Promise<void> {
      await handle.raw('delete from model_statistics where part = ? and starts_at < ?', [part, startsAt]);
    },

    listReadings(part: StatisticsPart): Promise<StatisticsReading[]> {
      return uncheckedRowsOf<StatisticsReading>(
        handle,
        `select starts_at "startsAt", read_at "readAt", took_ms "tookMs" from model_statistics where part = ?`,
        [part],
      );
    },

    /**
     * Returns the rows written since one minute before `writtenAt`, because a statement that began earlier may have
     * committed later. Null returns all rows.
     */
    writtenSince(writtenAt: Date | null): Promise<(StatisticsRow & { writtenAt: Date })[]> {
      return uncheckedRowsOf<StatisticsRow & { writtenAt: Date }>(
        handle,
        `select part, starts_at "startsAt", value, read_at "readAt", took_ms "tookMs", written_at "writtenAt"
         from model_statistics where written_at > coalesce(cast(? as timestamptz), '-infinity') - interval '1 minute'`,
        [writtenAt],
      );
    },
  };
}

export type ModelStatisticsStore = ReturnType<typeof createModelStatisticsStore>;
