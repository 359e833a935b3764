import type { TagFilter, TimeRange } from '../../domain/insights/analytics-query.ts';
import { createdFor } from './analytics-columns.ts';
import { joined, type Sql, sql } from '../sql-text.ts';

/** What the tags of one classifier are used for. */
export interface TagUse {
  classifierId: string;
  /** No names: every pair of dimension and value is a group. */
  groupBy?: { names: readonly string[]; includeNulls: boolean };
  filters: readonly TagFilter[];
}

/** Tags of a generation `g`. The planner concludes equalities from it, and no ranges: those are said for tags, too. */
const OF_GENERATION = sql`t.created_at = g.created_at and t.generation_id = g.id`;

/** What a query is grouped by, of the joins below: names of columns, in the order of the query. */
export function tagColumns({ groupBy }: TagUse): Sql[] {
  if (groupBy === undefined) return [];
  if (groupBy.names.length === 0) return [sql`t.dimension`, sql`t.value`];
  return ALIASES.slice(0, groupBy.names.length).map(({ t }) => sql`${t}.value`);
}

/** Joins that bring the tags a query groups by. One row for each combination. */
export function tagJoins({ classifierId, groupBy }: TagUse, range: TimeRange): Sql {
  if (groupBy === undefined) return sql``;
  const kind = groupBy.includeNulls ? sql`left join` : sql`join`;
  const tags = sql`(
    select * from classifier_tags
    where classifier_id = ${classifierId}::uuid and ${createdFor(range, sql`created_at`)})`;
  if (groupBy.names.length === 0) return sql`${kind} ${tags} t on ${OF_GENERATION}`;
  const joins = ALIASES.slice(0, groupBy.names.length).map(
    ({ t, on }, n) => sql`${kind} ${tags} ${t} on ${on} ${groupBy.names[n] ?? ''}`,
  );
  return joined(joins, ' ');
}

/** One for each name that a query may group by. */
const ALIASES = [
  { t: sql`t1`, on: sql`t1.created_at = g.created_at and t1.generation_id = g.id and t1.dimension =` },
  { t: sql`t2`, on: sql`t2.created_at = g.created_at and t2.generation_id = g.id and t2.dimension =` },
];

/** Holds for a generation whose tags pass. One without any tag in the dimension never does. */
export function tagCondition(
  classifierId: string,
  { field, operator, values }: TagFilter,
  range: TimeRange,
): Sql {
  const inDimension = sql`select from classifier_tags t
    where t.classifier_id = ${classifierId}::uuid and ${createdFor(range, sql`t.created_at`)}
      and ${OF_GENERATION} and t.dimension = ${field}`;
  const hasOne = sql`exists (${inDimension} and t.value = any(${values}::text[]))`;
  if (operator === 'eq' || operator === 'in') return hasOne;
  return sql`exists (${inDimension}) and not ${hasOne}`;
}
