/** Builds the joins and conditions that group and filter analytics by tags of a classifier. */
import type { TagFilter, TimeRange } from '../../domain/insights/analytics-query.ts';
import { createdFor } from './analytics-columns.ts';
import { joined, type Sql, sql } from '../postgres/sql-text.ts';

/** The use of one classifier's tags in a query. */
export interface TagUse {
  classifierId: string;
  /** Empty names: every pair of dimension and value is a group. */
  groupBy?: { names: readonly string[]; includeNulls: boolean } | undefined;
  filters: readonly TagFilter[];
}

/**
 * Joins tags to a generation `g`. The planner derives equalities from it, but no ranges, so ranges are repeated for
 * tags.
 */
const OF_GENERATION = sql`t.created_at = g.created_at and t.generation_id = g.id`;

/** Returns the grouped columns of the joins, in the order of the query. */
export function tagColumns({ groupBy }: TagUse): Sql[] {
  if (groupBy === undefined) return [];
  if (groupBy.names.length === 0) return [sql`t.dimension`, sql`t.value`];
  return ALIASES.slice(0, groupBy.names.length).map(({ t }) => sql`${t}.value`);
}

/** Returns joins that add the grouped tags, with one row for each combination. */
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

/** The aliases of joins, one for each name in a grouping. */
const ALIASES = [
  { t: sql`t1`, on: sql`t1.created_at = g.created_at and t1.generation_id = g.id and t1.dimension =` },
  { t: sql`t2`, on: sql`t2.created_at = g.created_at and t2.generation_id = g.id and t2.dimension =` },
];

/** Returns the condition of a tag filter. A generation without a tag in the dimension never matches. */
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
