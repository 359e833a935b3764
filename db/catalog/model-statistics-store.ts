/** Passes statistics of models from the worker that computes them to all API processes, through one table. */
import type { Handle } from '../postgres/connection.ts';
import { int4, json, oneOf, type RowOf, selectList, timestamptz } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
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
const READING = { startsAt: timestamptz, readAt: timestamptz, tookMs: int4 };
export type StatisticsReading = RowOf<typeof READING>;

export type StatisticsRow = {
  [Part in StatisticsPart]: StatisticsReading & { part: Part; value: StatisticsParts[Part] };
}[StatisticsPart];

const WRITTEN = {
  ...READING,
  part: oneOf(['recent', 'hour', 'day']),
  value: json<StatisticsParts[StatisticsPart]>(),
  writtenAt: timestamptz,
};

/** Stores statistics, which one worker writes and all API processes read. */
export function createModelStatisticsStore(handle: Handle) {
  return {
    /**
     * Adds or replaces the statistics of a period, unless the stored ones were read later: a slow attempt may end after
     * its successor.
     */
    async write({ part, startsAt, value, readAt, tookMs }: StatisticsRow): Promise<void> {
      await run(
        handle,
        `insert into model_statistics as s (part, starts_at, value, read_at, took_ms)
         values (:part, :startsAt, :value, :readAt, :tookMs)
         on conflict (part, starts_at) do update
         set value = excluded.value, read_at = excluded.read_at, took_ms = excluded.took_ms, written_at = now()
         where s.read_at <= excluded.read_at`,
        { part, startsAt, value: JSON.stringify(value), readAt, tookMs },
      );
    },

    async deleteBefore(part: StatisticsPart, startsAt: Date): Promise<void> {
      const statement = 'delete from model_statistics where part = :part and starts_at < :startsAt';
      await run(handle, statement, { part, startsAt });
    },

    listReadings(part: StatisticsPart): Promise<StatisticsReading[]> {
      const statement = `select ${selectList(READING)} from model_statistics where part = :part`;
      return rowsOf(handle, READING, statement, { part });
    },

    /**
     * Returns the rows written since one minute before `writtenAt`, because a statement that began earlier may have
     * committed later. Null returns all rows.
     */
    async writtenSince(writtenAt: Date | null): Promise<(StatisticsRow & { writtenAt: Date })[]> {
      const rows = await rowsOf(
        handle,
        WRITTEN,
        `select ${selectList(WRITTEN)} from model_statistics
         where written_at > coalesce(:writtenAt::timestamptz, '-infinity') - interval '1 minute'`,
        { writtenAt },
      );
      // The kind of a part says which value it has.
      return rows as (StatisticsRow & { writtenAt: Date })[];
    },
  };
}

export type ModelStatisticsStore = ReturnType<typeof createModelStatisticsStore>;
