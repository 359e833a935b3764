/** Maps dimensions and time buckets of analytics to columns of the ledger and its rollups. */
import { type Dimension, UNRESOLVED_WORKSPACE_ID } from '../../domain/insights/analytics-dimensions.ts';
import type { Granularity, TimeRange } from '../../domain/insights/analytics-query.ts';
import type { Source } from '../../domain/insights/analytics-plan.ts';
import { type Sql, trustedText, sql } from '../postgres/sql-text.ts';

/** The columns of dimensions: `g` is `generations` or a rollup, `a` the app of a generation. */
const COLUMNS: Record<Exclude<Dimension, 'workspace'>, string> = {
  model: 'g.model',
  provider: 'g.provider',
  api_key_id: 'g.key_id',
  user: 'g.user_id',
  external_user: 'g.external_user',
  app: 'g.app_id',
  origin: 'a.origin',
  country: 'g.country',
  region: 'g.data_region::text collate "C"',
  api_type: 'g.api_type::text collate "C"',
  finish_reason: 'g.finish_reason',
  status: 'g.status::text collate "C"',
  streamed: `(case when g.streamed then 'true' else 'false' end) collate "C"`,
  preset: 'g.preset_id',
};

/** Returns the SQL of a dimension's values. Unresolved activity counts for the default workspace. */
export function columnOf(dimension: Dimension, defaultWorkspaceId: string): Sql {
  if (dimension !== 'workspace') return trustedText(`(${COLUMNS[dimension]})`);
  return sql`(case when g.workspace_id = ${UNRESOLVED_WORKSPACE_ID}::uuid then ${defaultWorkspaceId}::uuid else g.workspace_id end)`;
}

const TABLES: Record<Source, Sql> = {
  rows: sql`generations`,
  hours: sql`hourly_usage`,
  days: sql`daily_usage`,
};
const TIMES: Record<Source, Sql> = { rows: sql`g.settled_at`, hours: sql`g.bucket`, days: sql`g.bucket` };
/** The lengths of periods in UTC. Months vary in length, so they are not included. */
const LENGTHS: Record<Exclude<Granularity, 'month'>, Sql> = {
  minute: sql`'1 minute'`,
  hour: sql`'1 hour'`,
  day: sql`'1 day'`,
  week: sql`'7 days'`,
};

export function tableOf(source: Source): Sql {
  return TABLES[source];
}

/** Returns the SQL of the time that assigns rows to periods. */
export function timeOf(source: Source): Sql {
  return TIMES[source];
}

/**
 * The longest assumed time between creation and settlement. It is usually below 26 hours, and longer only after an
 * outage of Temporal. A range is therefore also searched in the partitions of earlier days.
 */
const LONGEST_LIFE_MS = 7 * 86_400_000;
/** The largest assumed difference of clocks between the process that creates an id and the one that settles it. */
const CLOCK_SKEW_MS = 3_600_000;

/**
 * Returns a condition on a `created_at` column that holds for all generations which settle in the range. With it,
 * Postgres skips other partitions or pages.
 */
export function createdFor({ start, end }: TimeRange, column: Sql): Sql {
  const from = new Date(start.getTime() - LONGEST_LIFE_MS);
  const until = new Date(end.getTime() + CLOCK_SKEW_MS);
  return sql`${column} >= ${from}::timestamptz and ${column} < ${until}::timestamptz`;
}

/**
 * Returns the SQL of a period's beginning in UTC. With fixed lengths `date_bin` takes a tenth of the time of
 * `date_trunc`.
 */
export function bucketOf(granularity: Granularity, source: Source): Sql {
  if (granularity === 'month') return sql`date_trunc('month', ${TIMES[source]}, 'UTC')`;
  // 2001-01-01 was a Monday.
  return sql`date_bin(${LENGTHS[granularity]}, ${TIMES[source]}, '2001-01-01T00:00:00Z')`;
}
