import type { Knex } from 'knex';
import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';
import { DAY_OF_BUCKET, ROLLUP_DIMENSIONS, ROLLUP_MEASURES, rollUp } from './ledger-statement.ts';

/** Something that does not agree, in words for an operator. */
export interface Difference {
  /** What it is about, such as `key_id 12, settled_on 2026-03-01`. */
  subject: string;
  /** What the generations say. */
  expected: string;
  found: string;
}

export interface Check {
  name: string;
  /** What is held against what, in a few words. */
  about: string;
  /** The first ones that differ, and how many do. */
  run(handle: Handle): Promise<{ compared: number; differing: number; differences: Difference[] }>;
}

const SHOWN = 20;
const SPENT = ['usage_nanos', 'byok_usage_nanos', 'request_count'];

/**
 * All that is added up for the checks: what is there, by hour and dimension, and what was dropped with its
 * partition, by key and day. Temporary tables of the transaction.
 */
export async function gatherSums(transaction: Handle): Promise<void> {
  await transaction.raw(`create temporary table audit_hours on commit drop as ${rollUp('generations')}`);
  await transaction.raw(`
    create temporary table audit_spent on commit drop as
    select organization_id, workspace_id, key_id, ${DAY_OF_BUCKET} settled_on, usage_nanos, byok_usage_nanos,
      request_count::bigint
    from audit_hours
    union all
    select organization_id, workspace_id, key_id, settled_on, usage_nanos, byok_usage_nanos, request_count
    from dropped_generations`);
}

/** Must run after `gatherSums`, in its transaction. */
export const LEDGER_CHECKS: readonly Check[] = [
  {
    name: 'ids',
    about: 'each id is there once, at the time that is in it',
    run: (handle) =>
      // The time and the id together are the primary key, so an id whose time is right cannot be there twice.
      compare(handle, {
        total: 'select count(*) from generations',
        differing: `select id subject, split_part(id, '-', 2) expected,
                      (extract(epoch from created_at) * 1000)::bigint::text found
                    from generations
                    where split_part(id, '-', 2) <> (extract(epoch from created_at) * 1000)::bigint::text`,
      }),
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
    about: 'each ended job has one generation, billed only if it completed; no open one has any',
    run: (handle) =>
      compare(handle, {
        total: 'select count(*) from video_jobs',
        differing: `
          select j.id subject,
            case when j.status in ('pending', 'in_progress') then 'reserved'
                 when j.status = 'completed' then 'billed ' || j.price_nanos else 'billed 0' end expected,
            case when g.id is null then 'no generation' else 'billed ' || g.cost_nanos end found
          from video_jobs j left join generations g on g.id = j.generation_id and g.api_type = 'video'
          where case
            when j.status in ('pending', 'in_progress') then g.id is not null
            when g.id is null then not exists (
              select from dropped_generations d
              where d.created_on = (to_timestamp(split_part(j.generation_id, '-', 2)::bigint / 1000.0)
                                    at time zone 'UTC')::date)
            else g.cost_nanos <> case when j.status = 'completed' then j.price_nanos else 0 end
          end`,
      }),
  },
];

/** A counter of all time or of a day, its shards together. `key` says how its rows are told apart, on either side. */
function sumsOf(table: string, about: string, key: Record<string, string>): Check {
  const columns = Object.keys(key);
  const theirs = Object.entries(key).map(([column, from]) => `${from} ${column}`);
  return comparison(table, about, columns, SPENT, {
    expected: `select ${columns.join(', ')}, ${sums(SPENT)} from audit_spent group by ${columns.join(', ')}`,
    found: `select ${theirs.join(', ')}, ${sums(SPENT)} from ${table} group by ${columns.join(', ')}`,
  });
}

/** A rollup in all it holds. Of days whose generations were dropped in part, only the sums above are known. */
function rollupOf(table: string, about: string, bucket: string): Check {
  const columns = ['bucket', ...ROLLUP_DIMENSIONS];
  const grouped = (from: string, as: string): string => `
    select ${as} bucket, ${ROLLUP_DIMENSIONS.join(', ')}, ${sums(ROLLUP_MEASURES)} from ${from}
    where ${DAY_OF_BUCKET} not in (select settled_on from dropped_generations)
    group by ${as}, ${ROLLUP_DIMENSIONS.join(', ')}`;
  return comparison(table, about, columns, ROLLUP_MEASURES, {
    expected: grouped('audit_hours', bucket),
    found: grouped(table, 'bucket'),
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
  // Only what differs is shown: a rollup has sixty columns.
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
    run: (handle) =>
      compare(handle, {
        total: `select count(*) from (${sides.found}) f`,
        differing: `
          select ${subject} subject, concat_ws(', ', ${differing('e')}) expected,
            concat_ws(', ', ${differing('f')}) found
          from (${sides.expected}) e full join (${sides.found}) f using (${key.join(', ')})
          where (${measures.map((name) => `e.${name}`).join(', ')})
            is distinct from (${measures.map((name) => `f.${name}`).join(', ')})`,
      }),
  };
}

async function compare(
  handle: Handle,
  { total, differing }: { total: string; differing: string },
): ReturnType<Check['run']> {
  const [counted] = await rowsOf<{ count: string }>(handle, total, []);
  const rows = await rowsOf<Difference & { differing: string }>(
    handle,
    `select *, count(*) over () differing from (${differing}) d order by subject limit ${SHOWN}`,
    [],
  );
  return {
    compared: Number(counted?.count ?? 0),
    differing: Number(rows[0]?.differing ?? 0),
    differences: rows.map(({ subject, expected, found }) => ({ subject, expected, found })),
  };
}

/** Rows that nobody billed, because Postgres refused them. */
export async function countRejects(handle: Handle): Promise<number> {
  const [row] = await rowsOf<{ count: string }>(handle, 'select count(*) from generation_rejects', []);
  return Number(row?.count ?? 0);
}

/** Runs the work on one state of the database, whatever is written meanwhile. */
export function onSnapshot<T>(knex: Knex, work: (transaction: Handle) => Promise<T>): Promise<T> {
  return knex.transaction(work, { isolationLevel: 'repeatable read' });
}
