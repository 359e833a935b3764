/** Verifies that all spending counters and rollups agree with the recorded generations. */
import type { Handle } from '../postgres/connection.ts';
import { DAY_OF_BUCKET, rollUp, ROLLUP_DIMENSIONS, ROLLUP_MEASURES } from './ledger-sums.ts';
import { rowsOf } from '../postgres/statement.ts';
import { int4, int8, json } from '../postgres/shape.ts';

/** A difference between two sides that must agree, described for an operator. */
export interface Difference {
  /** The rows in question, such as `key_id 12, settled_on 2026-03-01`. */
  subject: string;
  /** The value computed from the generations. */
  expected: string;
  found: string;
}

/** A comparison of two sides that must agree, as SQL over `audit_hours`, `audit_spent` and the tables. */
interface Check {
  name: string;
  /** A short description of the two sides. */
  about: string;
  /** SQL of the number of compared rows. */
  total: string;
  /** SQL of the `subject`, `expected` and `found` of each difference. */
  differing: string;
}

export interface Verdict extends Pick<Check, 'name' | 'about'> {
  compared: number;
  differing: number;
  /** The first differences. */
  differences: Difference[];
}

const SHOWN = 20;
const SPENT = ['usage_nanos', 'byok_usage_nanos', 'request_count'];

/**
 * SQL of the sums for the checks: existing generations by hour and dimension, generations of dropped partitions by key
 * and day, and those that counters and rollups do not contain yet.
 */
const SUMS = `
  audit_hours as materialized (${rollUp('generations')}),
  audit_unsummed as materialized (${rollUp('unsummed')}),
  audit_unsummed_spent as materialized (
    select organization_id, workspace_id, key_id, ${DAY_OF_BUCKET} settled_on, usage_nanos, byok_usage_nanos,
      request_count::bigint
    from audit_unsummed),
  audit_spent as materialized (
    select organization_id, workspace_id, key_id, ${DAY_OF_BUCKET} settled_on, usage_nanos, byok_usage_nanos,
      request_count::bigint
    from audit_hours
    union all
    select organization_id, workspace_id, key_id, settled_on, usage_nanos, byok_usage_nanos, request_count
    from dropped_generations)`;

/** SQL: the prices of the job `j` at the endpoint that accepted it, its submission `s`. Null for a fixed price. */
const TERMS = `(j.terms -> s.endpoint_id)`;
/**
 * SQL: the cost of the units that the provider reported, by the prices of the job. A kind that it did not report counts
 * as documented.
 */
const REPORTED_COST = `(
  select (${TERMS} ->> 'fixedNanos')::numeric + round(1000000000 * coalesce(sum(
    coalesce(s.report ->> m.key, m.value ->> 'usual')::numeric * (m.value ->> 'price')::numeric), 0))
  from jsonb_each(${TERMS} -> 'meters') m)`;
/** SQL: the cost of an ended job in `j` with its accepted submission `s`. */
const JOB_COST = `case
    when j.status = 'completed' then coalesce(${REPORTED_COST}, j.price_nanos)
    when j.status = 'cancelled' and s.report is not null and s.charge_nanos is not null then ${REPORTED_COST}
    when j.status = 'cancelled' then coalesce(j.cost_nanos, 0)
    else 0 end`;

const CHECKS: readonly Check[] = [
  {
    name: 'ids',
    about: 'each id is unique, and created_at is the time inside the id',
    // Time and id together are the primary key, so an id with the right time is unique.
    total: 'select count(*) from generations',
    differing: `select id subject, split_part(id, '-', 2) expected,
                  (extract(epoch from created_at) * 1000)::bigint::text found
                from generations
                where split_part(id, '-', 2) <> (extract(epoch from created_at) * 1000)::bigint::text`,
  },
  sumsOf('organization_usage_totals', 'organizations', { organization_id: 'organization_id' }),
  sumsOf('workspace_usage', 'workspaces by day', { workspace_id: 'workspace_id', settled_on: 'settled_on' }),
  sumsOf('key_usage_totals', 'keys', { key_id: 'key_id' }),
  sumsOf('key_usage', 'keys by day', { key_id: 'key_id', settled_on: 'settled_on' }),
  sumsOf('hourly_usage', 'hours, added up by key and day', { key_id: 'key_id', settled_on: DAY_OF_BUCKET }),
  sumsOf('daily_usage', 'days, added up by key', { key_id: 'key_id', settled_on: DAY_OF_BUCKET }),
  rollupOf('hourly_usage', 'hours in full, with tokens and histograms', 'bucket'),
  rollupOf('daily_usage', 'days in full, with tokens and histograms', `date_trunc('day', bucket, 'UTC')`),
  {
    name: 'jobs',
    about:
      'each ended job has one generation, billed if it completed or was cancelled at a cost; no open one has any',
    total: 'select count(*) from video_jobs',
    differing: `
      select j.id subject,
        case when j.status in ('pending', 'in_progress') then 'reserved'
             else 'billed ' || ${JOB_COST} end expected,
        case when g.id is null then 'no generation' else 'billed ' || g.cost_nanos end found
      from video_jobs j left join generations g on g.id = j.generation_id and g.api_type = 'video'
        left join job_submissions s on s.job_id = j.id and s.state = 'accepted'
      where case
        when j.status in ('pending', 'in_progress') then g.id is not null
        when g.id is null then not exists (
          select from dropped_generations d
          where d.created_on = (to_timestamp(split_part(j.generation_id, '-', 2)::bigint / 1000.0)
                                at time zone 'UTC')::date)
        else g.cost_nanos <> ${JOB_COST}
      end`,
  },
  {
    name: 'cancelled jobs',
    about: 'each bill that no price decides states what the job was charged',
    total: `select count(*) from video_jobs where status = 'cancelled'`,
    differing: `
      select j.id subject, 'charged ' || (d.bill -> 'video' ->> 'charged') expected, 'billed ' || g.cost_nanos found
      from video_jobs j join generations g on g.id = j.generation_id and g.api_type = 'video'
        join generation_details d on d.created_at = g.created_at and d.id = g.id
      where j.status = 'cancelled' and (d.bill -> 'video' ->> 'charged')::numeric <> g.cost_nanos`,
  },
];

/**
 * Audits in one statement, which sees one state of the database and adds up the generations once. It writes nothing,
 * not even a temporary table, so that it can run on a replica.
 */
const AUDIT = `
  with ${SUMS},
  ${CHECKS.map(({ differing }, n) => `differing_${n} as materialized (${differing})`).join(',\n')}
  ${CHECKS.map(
    ({ total }, n) => `
      select ${n} n, (${total}) compared, (select count(*) from differing_${n}) differing,
        (select coalesce(json_agg(d), '[]') from (
          select subject, expected, found from differing_${n} order by subject limit ${SHOWN}) d) differences`,
  ).join(' union all ')}
  order by n`;

/** Compares all counters and rollups with the generations. Takes minutes for many millions. */
export async function auditLedger(handle: Handle): Promise<Verdict[]> {
  const shape = { n: int4, compared: int8, differing: int8, differences: json<Difference[]>() };
  const rows = await rowsOf(handle, shape, AUDIT);
  return CHECKS.map(({ name, about }, n) => ({
    name,
    about,
    compared: Number(rows[n]?.compared ?? 0),
    differing: Number(rows[n]?.differing ?? 0),
    differences: rows[n]?.differences ?? [],
  }));
}

/**
 * Returns the check of a counter, total or daily, summed over its shards. `key` maps its key columns to the
 * generations' columns.
 */
function sumsOf(table: string, about: string, key: Record<string, string>): Check {
  const columns = Object.keys(key);
  const keyColumns = Object.entries(key).map(([column, from]) => `${from} ${column}`);
  return comparison(table, about, columns, SPENT, {
    expected: `select ${columns.join(', ')}, ${sums(SPENT)} from audit_spent group by ${columns.join(', ')}`,
    found: `
      select ${columns.join(', ')}, ${sums(SPENT)} from (
        select ${[...keyColumns, ...SPENT].join(', ')} from ${table}
        union all
        select ${[...columns, ...SPENT].join(', ')} from audit_unsummed_spent) summed
      group by ${columns.join(', ')}`,
  });
}

/**
 * Returns the check of a rollup. Days with partly dropped generations are left out, because only their sums by key are
 * known.
 */
function rollupOf(table: string, about: string, bucket: string): Check {
  const columns = ['bucket', ...ROLLUP_DIMENSIONS];
  const grouped = (from: string, as: string): string => `
    select ${as} bucket, ${ROLLUP_DIMENSIONS.join(', ')}, ${sums(ROLLUP_MEASURES)} from ${from}
    where ${DAY_OF_BUCKET} not in (select settled_on from dropped_generations)
    group by ${as}, ${ROLLUP_DIMENSIONS.join(', ')}`;
  return comparison(table, about, columns, ROLLUP_MEASURES, {
    expected: grouped('audit_hours', bucket),
    found: grouped(
      `(select ${[...columns, ...ROLLUP_MEASURES].join(', ')} from ${table}
        union all
        select ${[`${bucket} bucket`, ...ROLLUP_DIMENSIONS, ...ROLLUP_MEASURES].join(', ')} from audit_unsummed) summed`,
      'bucket',
    ),
  });
}

function sums(measures: readonly string[]): string {
  return measures.map((name) => `sum(${name})::numeric ${name}`).join(', ');
}

function comparison(
  table: string,
  about: string,
  key: readonly string[],
  measures: readonly string[],
  sides: { expected: string; found: string },
): Check {
  const subject = key.map((column) => `'${column} ' || ${column}`).join(` || ', ' || `);
  // Shows the differing columns only: a rollup has sixty.
  const differing = (side: string): string =>
    measures
      .map(
        (name) =>
          `case when e.${name} is distinct from f.${name} then '${name} ' || coalesce(${side}.${name}, 0) end`,
      )
      .join(', ');
  return {
    name: table,
    about,
    total: `select count(*) from (${sides.found}) f`,
    differing: `
      select ${subject} subject, concat_ws(', ', ${differing('e')}) expected,
        concat_ws(', ', ${differing('f')}) found
      from (${sides.expected}) e full join (${sides.found}) f using (${key.join(', ')})
      where (${measures.map((name) => `e.${name}`).join(', ')})
        is distinct from (${measures.map((name) => `f.${name}`).join(', ')})`,
  };
}
