/** Translates the scope, range and filters of an analytics query to SQL conditions. */
import type { Dimension } from '../../domain/insights/analytics-dimensions.ts';
import type { PlanPart } from '../../domain/insights/analytics-plan.ts';
import type { Operator, Scalar } from '../../domain/insights/analytics-query.ts';
import { columnOf, createdFor, timeOf } from './analytics-columns.ts';
import { tagCondition, type TagUse } from './analytics-tags.ts';
import { joined, type Sql, trustedText, sql } from '../postgres/sql-text.ts';

/** A filter with internal ids. Workspaces are filtered separately. */
export interface ResolvedFilter {
  field: Exclude<Dimension, 'workspace'>;
  operator: Operator;
  /** One value, unless the operator takes a list. */
  values: readonly Scalar[];
  includeUnset: boolean;
}

export interface AnalyticsScope {
  organizationId: string;
  /** Workspaces of the organization, and the id of unresolved activity. */
  workspaceIds: readonly string[];
  /** Replaces the workspace of unresolved activity. */
  defaultWorkspaceId: string;
}

/** Returns the conditions that select rows of the part's table. */
export function conditionsOf(
  { organizationId, workspaceIds, defaultWorkspaceId }: AnalyticsScope,
  part: PlanPart,
  filters: readonly ResolvedFilter[],
  tags: TagUse | undefined,
): Sql {
  const { source, start, end } = part;
  const conditions = [
    sql`g.workspace_id = any(${workspaceIds}::uuid[])`,
    sql`g.organization_id = ${organizationId}::uuid`,
    sql`${timeOf(source)} >= ${start}::timestamptz and ${timeOf(source)} < ${end}::timestamptz`,
    source === 'rows' ? createdFor(part, sql`g.created_at`) : undefined,
    ...filters.map((filter) => filterCondition(filter, columnOf(filter.field, defaultWorkspaceId))),
    ...(tags?.filters ?? []).map((filter) => tagCondition(tags?.classifierId ?? '', filter, part)),
  ];
  return joined(conditions, ' and ');
}

const COMPARISONS: Partial<Record<Operator, Sql>> = {
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
};
const NUMBERS: ReadonlySet<Dimension> = new Set(['api_key_id', 'app']);

/** Returns the condition of a filter. Generations without a value match only with `includeUnset`. */
function filterCondition({ field, operator, values, includeUnset }: ResolvedFilter, column: Sql): Sql {
  const type = trustedText(NUMBERS.has(field) ? 'bigint[]' : 'text[]');
  const comparison = COMPARISONS[operator];
  if (comparison !== undefined) return sql`${column} ${comparison} all(${values}::${type})`;
  const isAny = sql`${column} = any(${values}::${type})`;
  // With an empty list `<> all` is true for null, too.
  const isNone = sql`(${column} is not null and ${column} <> all(${values}::${type}))`;
  const condition = operator === 'eq' || operator === 'in' ? isAny : isNone;
  return includeUnset ? sql`(${condition} or ${column} is null)` : condition;
}
