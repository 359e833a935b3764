/** Builds the SQL statement of a complete analytics query. */
import type { Dimension } from '../../domain/insights/analytics-dimensions.ts';
import type { Metric } from '../../domain/insights/analytics-metrics.ts';
import type { PlanPart, Source } from '../../domain/insights/analytics-plan.ts';
import { type Granularity, type SortOrder, tagColumnNames } from '../../domain/insights/analytics-query.ts';
import { bucketOf, columnOf, tableOf } from './analytics-columns.ts';
import { type AnalyticsScope, conditionsOf, type ResolvedFilter } from './analytics-conditions.ts';
import { formulaOf, measuresOf, sumOf } from './analytics-measures.ts';
import { tagColumns, tagJoins, type TagUse } from './analytics-tags.ts';
import { LEDGER_BUCKETS, MEASURE_AGGREGATES } from '../ledger/ledger-sums.ts';
import { joined, type Sql, trustedText, sql } from '../postgres/sql-text.ts';

/** A query with all looked-up ids. */
export interface AnalyticsReading {
  scope: AnalyticsScope;
  /** The parts of the range, without overlap. */
  parts: readonly PlanPart[];
  metrics: readonly Metric[];
  /** The dimensions of the groups, in any number. */
  dimensions: readonly Dimension[];
  filters: readonly ResolvedFilter[];
  granularity?: Granularity | undefined;
  tags?: TagUse | undefined;
  orderBy?: SortOrder | undefined;
  limit: number;
  /** The most rows of each group; absent: all. */
  groupLimit?: number | undefined;
}

/** A grouped column: its name in the statement, and its SQL in each table. */
interface Group {
  name: string;
  of(source: Source): Sql;
}

/**
 * Returns one statement, so that all parts are read at one moment. It groups each part, adds up groups of all parts,
 * and computes the metrics. Columns: `at`, `d0`…, `t0`…, `m0`… in the order of the query, and `total`, the number of
 * rows without the limits.
 */
export function analyticsStatement(reading: AnalyticsReading): Sql {
  const groups = groupsOf(reading);
  const measures = measuresOf(reading.metrics);
  const parts = reading.parts.map((part) => partStatement(reading, part, groups, measures));
  const names = namesOf(groups);
  const metrics = reading.metrics.map((metric, n) => sql`${formulaOf(metric)} ${trustedText(`m${n}`)}`);
  const measured = sql`
    select ${joined([...names, ...metrics, sql`request_count requests`], ', ')}
    from (
      select ${joined([...names, ...measures.map(sumOf)], ', ')}
      from (${joined(parts, ' union all ')}) parts
      ${groupBy(groups)}
    ) merged`;
  return limited(reading, groups, measured);
}

function groupsOf({ scope, dimensions, granularity, tags }: AnalyticsReading): Group[] {
  return [
    ...(granularity === undefined
      ? []
      : [{ name: 'at', of: (source: Source) => bucketOf(granularity, source) }]),
    ...dimensions.map((dimension, n) => ({
      name: `d${n}`,
      of: () => columnOf(dimension, scope.defaultWorkspaceId),
    })),
    ...(tags === undefined ? [] : tagColumns(tags)).map((column, n) => ({ name: `t${n}`, of: () => column })),
  ];
}

function partStatement(reading: AnalyticsReading, part: PlanPart, groups: Group[], measures: string[]): Sql {
  const { scope, filters, tags } = reading;
  const conditions = conditionsOf(scope, part, filters, tags);
  const columns = groups.map((group) => sql`${group.of(part.source)} ${trustedText(group.name)}`);
  if (part.source !== 'rows') {
    const selected = joined([...columns, ...measures.map(sumOf)], ', ');
    return sql`select ${selected} from ${tableOf(part.source)} g where ${conditions} ${groupBy(groups)}`;
  }
  const aggregates = measures.map((name) => trustedText(`${MEASURE_AGGREGATES.get(name)} ${name}`));
  const rows = joined([...columns, trustedText(`g.*, ${LEDGER_BUCKETS}`)], ', ');
  return sql`
    select ${joined([...namesOf(groups), ...aggregates], ', ')}
    from (
      select ${rows} from ${tableOf(part.source)} g ${joinsOf(reading, part)} where ${conditions}
    ) counted
    ${groupBy(groups)}`;
}

function joinsOf({ dimensions, filters, tags }: AnalyticsReading, part: PlanPart): Sql {
  const needsApp = dimensions.includes('origin') || filters.some(({ field }) => field === 'origin');
  const apps = needsApp ? sql`left join apps a on a.id = g.app_id` : undefined;
  return joined([apps, tags && tagJoins(tags, part)], ' ');
}

function limited(
  { metrics, dimensions, granularity, tags, orderBy, limit, groupLimit }: AnalyticsReading,
  groups: Group[],
  measured: Sql,
): Sql {
  const order = joined(
    [
      ...(orderBy === undefined || (orderBy.field === 'date' && granularity === undefined)
        ? [granularity === undefined ? undefined : sql`at asc`, sql`m0 desc nulls last`]
        : [sorted(orderBy, { metrics, dimensions, tags })]),
      ...namesOf(groups).map((name) => sql`${name} asc nulls last`),
    ],
    ', ',
  );
  if (groupLimit === undefined) {
    return sql`select *, count(*) over () total from (${measured}) r order by ${order} limit ${limit}`;
  }
  const group = joined(namesOf(groups.filter(({ name }) => name !== 'at')), ', ');
  return sql`
    select * from (
      select *, row_number() over (partition by ${group} order by ${order}) place, count(*) over () total
      from (${measured}) r
    ) placed
    where place <= ${groupLimit} order by ${order} limit ${limit}`;
}

function sorted(
  { field, direction }: SortOrder,
  {
    metrics,
    dimensions,
    tags,
  }: { metrics: readonly string[]; dimensions: readonly string[]; tags: TagUse | undefined },
): Sql {
  const tagColumns = tags?.groupBy === undefined ? [] : tagColumnNames(tags.groupBy.names);
  const way = direction === 'asc' ? sql`asc nulls last` : sql`desc nulls last`;
  if (field === 'date') return sql`at ${way}`;
  if (field === 'request_count') return sql`requests ${way}`;
  for (const [letter, names] of [
    ['d', dimensions],
    ['m', metrics],
    ['t', tagColumns],
  ] as const) {
    if (names.includes(field)) return sql`${trustedText(`${letter}${names.indexOf(field)}`)} ${way}`;
  }
  throw new Error(`the query has no column ${field}`);
}

function namesOf(groups: readonly Group[]): Sql[] {
  return groups.map(({ name }) => trustedText(name));
}

function groupBy(groups: readonly Group[]): Sql {
  return groups.length === 0 ? sql`` : sql`group by ${joined(namesOf(groups), ', ')}`;
}
