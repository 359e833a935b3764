import { type Dimension, UNRESOLVED_WORKSPACE_ID } from '../../domain/insights/analytics-dimensions.ts';
import type { Granularity, TimeRange } from '../../domain/insights/analytics-query.ts';
import type { Source } from '../../domain/insights/analytics-plan.ts';
import { type Sql, ownText, sql } from '../sql-text.ts';

/** Of `generations` or a rollup, which is `g`, and of the app of a generation, which is `a`. */
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

/** The values of a dimension, as they are returned. */
export function columnOf(dimension: Dimension, defaultWorkspaceId: string): Sql {
  if (dimension !== 'workspace') return ownText(`(${COLUMNS[dimension]})`);
  return sql`(case when g.workspace_id = ${UNRESOLVED_WORKSPACE_ID}::uuid then ${defaultWorkspaceId}::uuid else g.workspace_id end)`;
}

const TABLES: Record<Source, Sql> = {
  rows: sql`generations`,
  hours: sql`hourly_usage`,
  days: sql`daily_usage`,
};
const TIMES: Record<Source, Sql> = { rows: sql`g.settled_at`, hours: sql`g.bucket`, days: sql`g.bucket` };
/** UTC has no summer time: all but months are as long as each other. */
const LENGTHS: Record<Exclude<Granularity, 'month'>, Sql> = {
  minute: sql`'1 minute'`,
  hour: sql`'1 hour'`,
  day: sql`'1 day'`,
  week: sql`'7 days'`,
};

export function tableOf(source: Source): Sql {
  return TABLES[source];
}

/** What periods go by. */
export function timeOf(source: Source): Sql {
  return TIMES[source];
}

/**
 * A generation is settled within some 26 hours of its creation, later only when Temporal was away meanwhile. What is
 * settled in a range is looked for in the partitions of so many days before, too.
 */
const LONGEST_LIFE_MS = 7 * 86_400_000;
/** One process makes the id, and another one may settle it, whose clock is behind. */
const CLOCK_SKEW_MS = 3_600_000;

/** Holds where a column is the `created_at` of what may be settled in the range. Leads to its partitions, or pages. */
export function createdFor({ start, end }: TimeRange, column: Sql): Sql {
  const from = new Date(start.getTime() - LONGEST_LIFE_MS);
  const until = new Date(end.getTime() + CLOCK_SKEW_MS);
  return sql`${column} >= ${from}::timestamptz and ${column} < ${until}::timestamptz`;
}

/** The beginning of the UTC period. Where lengths are fixed, counting them takes a tenth of the calendar's time. */
export function bucketOf(granularity: Granularity, source: Source): Sql {
  if (granularity === 'month') return sql`date_trunc('month', ${TIMES[source]}, 'UTC')`;
  // A Monday.
  return sql`date_bin(${LENGTHS[granularity]}, ${TIMES[source]}, '2001-01-01T00:00:00Z')`;
}
