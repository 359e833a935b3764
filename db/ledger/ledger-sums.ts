/** Builds the SQL that adds generations to counters and rollups, and the statement that does so behind the answers. */
import { LATENCY_BOUNDS_MS, THROUGHPUT_BOUNDS } from '../../domain/ledger/histogram.ts';
import { bool, int4 } from '../postgres/shape.ts';
import { prepared } from '../postgres/statement.ts';

const bucketsOf = (bounds: readonly number[]): number[] =>
  Array.from({ length: bounds.length + 1 }, (_, n) => n);

const LATENCY = bucketsOf(LATENCY_BOUNDS_MS).map((n) => `latency_${n}`);
const THROUGHPUT = bucketsOf(THROUGHPUT_BOUNDS).map((n) => `throughput_${n}`);

/** The dimensions of the rollups. */
export const ROLLUP_DIMENSIONS = [
  'organization_id',
  'workspace_id',
  'key_id',
  'model',
  'provider',
  'api_type',
  'is_byok',
] as const;

const summed = (name: string): [string, string] => [name, `coalesce(sum(${name}), 0)::bigint`];
const counted = (name: string, condition: string): [string, string] => [
  name,
  `(count(*) filter (where ${condition}))::integer`,
];

/** The measures of the rollups, with their SQL over rows with `latency_bucket` and `throughput_bucket`. */
const MEASURES: [name: string, aggregate: string][] = [
  ['request_count', 'count(*)::integer'],
  counted('error_count', `status in ('failed', 'expired')`),
  counted('cancelled_count', `status = 'cancelled'`),
  summed('tokens_prompt'),
  summed('tokens_completion'),
  summed('tokens_reasoning'),
  summed('tokens_cache_read'),
  summed('media_prompt'),
  summed('media_completion'),
  ['usage_nanos', 'sum(case when is_byok then 0 else cost_nanos end)'],
  ['byok_usage_nanos', 'sum(case when is_byok then cost_nanos else 0 end)'],
  ['latency_count', 'count(latency_ms)::integer'],
  summed('latency_ms'),
  ['throughput_ms', 'coalesce(sum(generation_ms) filter (where throughput_bucket is not null), 0)::bigint'],
  [
    'throughput_tokens',
    'coalesce(sum(tokens_completion) filter (where throughput_bucket is not null), 0)::bigint',
  ],
  ...LATENCY.map((name, n) => counted(name, `latency_bucket = ${n}`)),
  ...THROUGHPUT.map((name, n) => counted(name, `throughput_bucket = ${n}`)),
];
export const ROLLUP_MEASURES = MEASURES.map(([name]) => name);

/** The SQL of each measure over rows that also have LEDGER_BUCKETS. */
export const MEASURE_AGGREGATES: ReadonlyMap<string, string> = new Map(MEASURES);

/** SQL: the histogram buckets of a generation; null for none. */
export const LEDGER_BUCKETS = `
        width_bucket(latency_ms, '{${LATENCY_BOUNDS_MS.join(',')}}'::integer[]) latency_bucket,
        case when generation_ms > 0 and tokens_completion > 0 then
          width_bucket(tokens_completion * bigint '1000' / generation_ms, '{${THROUGHPUT_BOUNDS.join(',')}}'::bigint[])
        end throughput_bucket`;

/**
 * Returns SQL that groups generations like the hourly rollup, without the shard. `relation` has the columns of
 * `generations`. One pass over the rows provides the sums for all counters.
 */
export function rollUp(relation: string): string {
  return `
    select date_trunc('hour', settled_at, 'UTC') bucket, ${ROLLUP_DIMENSIONS.join(', ')},
      ${MEASURES.map(([name, aggregate]) => `${aggregate} ${name}`).join(', ')}
    from (
      select *, ${LEDGER_BUCKETS}
      from ${relation}
    ) g
    group by bucket, ${ROLLUP_DIMENSIONS.join(', ')}`;
}

/** SQL: the UTC day of a rollup's bucket. */
export const DAY_OF_BUCKET = `(bucket at time zone 'UTC')::date`;

interface Sums {
  table: string;
  /** The part of the statement that writes the previous table. It finishes before this part begins. */
  after: string;
  /** The table's primary key without the shard: each column with its source. */
  key: [column: string, from: string][];
  /** A column that depends on the key. */
  owner?: string;
  measures: string[];
}

/**
 * Returns the SQL that adds to a table. All statements that write counters lock the tables in one order, and rows in
 * the order of their keys, which prevents deadlocks between batches.
 */
function add({ table, after, key, owner, measures }: Sums): string {
  const columns = key.map(([column]) => column);
  const from = key.map(([, expression]) => expression).join(', ');
  const owned = owner === undefined ? '' : `, ${owner}`;
  return `
    insert into ${table} as t (${columns.join(', ')}, shard${owned}, ${measures.join(', ')})
    select ${from}, (table shard)${owned}, ${measures.map((name) => `sum(${name})`).join(', ')}
    from grouped where (select count(*) from ${after}) >= 0
    group by ${from}${owned}
    order by ${from}
    on conflict (${columns.join(', ')}, shard) do update set
      ${measures.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')}
    returning 1`;
}

const itself = (column: string): [string, string] => [column, column];
const SETTLED_ON: [string, string] = ['settled_on', DAY_OF_BUCKET];
const SPENT = ['usage_nanos', 'byok_usage_nanos', 'request_count'];

function addRollup(table: string, after: string, bucket: string): string {
  const rest = ['key_id', 'model', 'provider', 'api_type', 'is_byok'].map(itself);
  const key: Sums['key'] = [itself('workspace_id'), ['bucket', bucket], ...rest];
  return add({ table, after, key, owner: 'organization_id', measures: ROLLUP_MEASURES });
}

const ADD_TO_ORGANIZATION = add({
  table: 'organization_usage_totals',
  after: 'grouped',
  key: [itself('organization_id')],
  measures: SPENT,
});
const ADD_TO_WORKSPACE = add({
  table: 'workspace_usage',
  after: 'of_organization',
  key: [itself('workspace_id'), SETTLED_ON],
  measures: SPENT,
});
const ADD_TO_KEY = add({
  table: 'key_usage_totals',
  after: 'of_workspace',
  key: [itself('key_id')],
  measures: SPENT,
});
const ADD_TO_KEY_DAY = add({
  table: 'key_usage',
  after: 'of_key',
  key: [itself('key_id'), SETTLED_ON],
  measures: SPENT,
});

/** SQL: parts of a statement that add `grouped` to all counters and rollups. The last is `of_day`. */
export const ADD_TO_SUMS = `
  of_organization as (${ADD_TO_ORGANIZATION}),
  of_workspace as (${ADD_TO_WORKSPACE}),
  of_key as (${ADD_TO_KEY}),
  of_key_day as (${ADD_TO_KEY_DAY}),
  of_hour as (${addRollup('hourly_usage', 'of_key_day', 'bucket')}),
  of_day as (${addRollup('daily_usage', 'of_hour', `date_trunc('day', bucket, 'UTC')`)})`;

/** The columns that the sums need. */
export const SUMMED = [
  'settled_at',
  ...ROLLUP_DIMENSIONS,
  'status',
  'tokens_prompt',
  'tokens_completion',
  'tokens_reasoning',
  'tokens_cache_read',
  'media_prompt',
  'media_completion',
  'latency_ms',
  'generation_ms',
  'cost_nanos',
].join(', ');

/**
 * Moves the rows of `unsummed_generations` into the counters and rollups, each once: rows that another process moves
 * meanwhile are waited for, and then gone. `ledger_sums` goes on to the oldest transaction that was running: what
 * commits later is not before it. A long backlog takes several statements of whole transactions, each with about `most`
 * rows, so that none exceeds the time of a statement; `ledger_sums` stays until the last one.
 */
export const SUM_GENERATIONS = prepared(
  'sluice-sum-generations',
  `
  with shard as (select :shard::smallint),
  first as materialized (
    select count(*) rows, max(written_by) last from (
      select written_by from unsummed_generations where written_by >= (select unsummed_from())
      order by written_by limit :most::integer) f
  ),
  taken as (
    delete from unsummed_generations
    where written_by >= (select unsummed_from()) and written_by <= (select last from first)
    returning *
  ),
  grouped as materialized (${rollUp('taken')}), ${ADD_TO_SUMS},
  went_on as (
    update ledger_sums set reached = pg_snapshot_xmin(pg_current_snapshot()), reached_at = now()
    where (select count(*) from of_day) >= 0 and (select rows from first) < :most::integer
  )
  select (select count(*)::integer from taken) moved, (select rows from first) = :most::integer "hasMore"
  where (select count(*) from of_day) >= 0`,
);

/** The one row that SUM_GENERATIONS returns. */
export const SUMMED_ROWS = { moved: int4, hasMore: bool };
