import type { Dimension } from '../../domain/insights/analytics-dimensions.ts';
import type { PlanPart } from '../../domain/insights/analytics-plan.ts';
import type { Operator, Scalar } from '../../domain/insights/analytics-query.ts';
import { columnOf, createdFor, timeOf } from './analytics-columns.ts';
import { tagCondition, type TagUse } from './analytics-tags.ts';
import { joined, type Sql, ownText, sql } from '../sql-text.ts';

/** A filter with the ids that the database knows. Workspaces are narrowed down beforehand. */
export interface ResolvedFilter {
  field: Exclude<Dimension, 'workspace'>;
  operator: Operator;
  /** One, unless the operator takes a list. */
  values: readonly Scalar[];
  includeUnset: boolean;
}

export interface AnalyticsScope {
  organizationId: string;
  /** Each of which the organization owns, and the one of unresolved activity. */
  workspaceIds: readonly string[];
  /** Stands for unresolved activity. */
  defaultWorkspaceId: string;
}

/** What a row of the part's table must fulfil to be counted. */
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

/** Generations without a value pass where `includeUnset` says so, and nowhere else. */
function filterCondition({ field, operator, values, includeUnset }: ResolvedFilter, column: Sql): Sql {
  const type = ownText(NUMBERS.has(field) ? 'bigint[]' : 'text[]');
  const comparison = COMPARISONS[operator];
  if (comparison !== undefined) return sql`${column} ${comparison} all(${values}::${type})`;
  const isAny = sql`${column} = any(${values}::${type})`;
  // Of an empty list `<> all` holds for null, too.
  const isNone = sql`(${column} is not null and ${column} <> all(${values}::${type}))`;
  const condition = operator === 'eq' || operator === 'in' ? isAny : isNone;
  return includeUnset ? sql`(${condition} or ${column} is null)` : condition;
}
