/** Computes the rankings of models and apps for a past day, and stores them. */
import { MODALITIES, type Modality } from '../../domain/modality.ts';
import {
  CONTEXT_BUCKETS,
  RANKED_SURFACES,
  type RankedSurface,
  RANKINGS_BEGIN,
} from '../../domain/insights/rankings.ts';
import type { UtcDay } from '../../domain/utc-day.ts';
import type { Handle } from '../postgres/connection.ts';
import { onlyColumn } from '../postgres/results.ts';
import { withLongStatements } from '../postgres/long-statements.ts';
import { text } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

/**
 * The longest time of one statement. A day with many millions of generations takes minutes; the activity that closes it
 * may take half an hour.
 */
const STATEMENT_MS = 20 * 60_000;

/** Runs work on the tables of rankings, which db/insights/rankings-read-model.ts reads. */
export function withRankings<T>(url: string, work: (store: RankingsStore) => Promise<T>): Promise<T> {
  return withLongStatements({ url, applicationName: 'sluice-rankings', statementMs: STATEMENT_MS }, (knex) =>
    work(createRankingsStore(knex)),
  );
}

function createRankingsStore(knex: Handle) {
  return {
    /**
     * Returns the days up to `last` that must be closed, the oldest first. These are the days since the oldest
     * generations that were never closed, and those of the last three days that have gained requests since they were
     * closed.
     */
    listOpen: (last: UtcDay): Promise<UtcDay[]> => onlyColumn(knex, { day: text }, LIST_OPEN, { last }),

    /**
     * Computes the rankings of a day from its generations, and replaces earlier ones. Returns false and changes nothing
     * for a closed day whose generations are partly dropped: the new sums would be too small.
     */
    close(day: UtcDay): Promise<boolean> {
      return knex.transaction(async (transaction) => {
        await run(transaction, `select pg_advisory_xact_lock(hashtext('sluice_close_rankings'))`);
        // No partition is dropped until the commit, so the check below and the sums see the same rows.
        await run(transaction, 'lock table only generations in access share mode');
        const isKept = await isPartlyDropped(transaction, day);
        if (!isKept) await rebuild(transaction, day);
        return !isKept;
      });
    },
  };
}

export type RankingsStore = ReturnType<typeof createRankingsStore>;

/** A generation may be recorded up to this many days after it settled. GENERATION_RETENTION is at least as long. */
const DAYS_STILL_COUNTED = 3;

/** SQL: the closed day `r` has more requests now than when it was closed, and no dropped generations. */
const HAS_GROWN = `
  r.day > :last::date - ${DAYS_STILL_COUNTED}
    and r.request_count < (${requestsOf('r.day')})
    and not exists (select from dropped_generations d where d.settled_on = r.day)`;

const LIST_OPEN = `
  select past::date::text "day"
  from (
    select greatest(min(to_date(right(c.relname, 8), 'YYYYMMDD')), date '${RANKINGS_BEGIN}') oldest
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'generations'::regclass
    having count(*) > 0) kept,
  lateral generate_series(oldest, :last::date, interval '1 day') past
    left join rankings_days r on r.day = past::date
  where r.day is null or (${HAS_GROWN})
  order by past`;

/**
 * Returns SQL for the number of requests of a day. It joins workspaces because the key of the rollup begins with them.
 */
function requestsOf(day: string): string {
  return `
    select coalesce(sum(u.request_count), 0) from workspaces w join daily_usage u on u.workspace_id = w.id
    where u.bucket = ${day}::timestamp at time zone 'UTC'`;
}

async function isPartlyDropped(handle: Handle, day: UtcDay): Promise<boolean> {
  const rows = await rowsOf(
    handle,
    {},
    `select from rankings_days r
     where r.day = :day and exists (select from dropped_generations d where d.settled_on = r.day)`,
    { day },
  );
  return rows.length === 1;
}

async function rebuild(handle: Handle, day: UtcDay): Promise<void> {
  // Count first: if a request is recorded meanwhile, the day has grown and is closed again.
  await run(
    handle,
    `insert into rankings_days (day, closed_at, request_count)
     values (:day::date, clock_timestamp(), (${requestsOf(':day::date')}))
     on conflict (day) do update set closed_at = excluded.closed_at, request_count = excluded.request_count`,
    { day },
  );
  // With less memory Postgres would sort the generations of the day, which takes three times as long.
  await run(handle, `set local work_mem = '64MB'`);
  for (const table of ['rankings_models', 'rankings_samples', 'rankings_apps']) {
    await run(handle, `delete from ${table} where day = :day`, { day });
  }
  await run(handle, FILL_TABLES, { day });
}

const bitOf = (modality: Modality): number => 1 << MODALITIES.indexOf(modality);
const MATCHES: Record<RankedSurface, string> = {
  text: `output_modalities & ${bitOf('text')} <> 0`,
  image: `input_modalities & ${bitOf('image')} <> 0`,
  image_output: `output_modalities & ${bitOf('image')} <> 0`,
  audio: `input_modalities & ${bitOf('audio')} <> 0`,
  tool_calling: 'tool_calls > 0',
};
const SURFACES = RANKED_SURFACES.map(
  (surface, n) => `case when ${MATCHES[surface]} then ${1 << n} else 0 end`,
).join(' + ');

const BUCKET = `width_bucket(coalesce(tokens_prompt, 0), '{${Object.values(CONTEXT_BUCKETS)
  .map((tokens) => tokens + 1)
  .join(',')}}'::integer[])`;

/**
 * Fills all three tables in one pass over the generations of a day. Only generations with tokens count. Their callers
 * wait for them, so they settle within hours, and their partition is at most two days older; `drop_ledger_partition`
 * relies on that, too. The hour after the day allows for clocks that differ. Generations on a customer's own credential
 * (BYOK) and models outside of the public catalog do not count (docs/adr/0028).
 */
const FILL_TABLES = `
  with settled as (
    select g.model, g.app_id, (${SURFACES})::smallint surfaces, (${BUCKET})::smallint context_bucket,
      coalesce(g.sample_category, '') category, g.sample_language_type language_type, count(*) requests,
      sum(coalesce(g.tokens_prompt, 0)::bigint + coalesce(g.tokens_completion, 0)) tokens,
      sum((coalesce(g.tokens_prompt, 0)::bigint + coalesce(g.tokens_completion, 0)) * g.sample_weight) estimated
    from generations g join models m on m.canonical_slug collate "C" = g.model
    where g.settled_at >= :day::date::timestamp at time zone 'UTC'
      and g.settled_at < (:day::date + 1)::timestamp at time zone 'UTC'
      and g.created_at >= (:day::date - 2)::timestamp at time zone 'UTC'
      and g.created_at < (:day::date + 1)::timestamp at time zone 'UTC' + interval '1 hour'
      and not g.is_byok and (g.tokens_prompt > 0 or g.tokens_completion > 0)
    group by 1, 2, 3, 4, 5, 6
  ),
  summed as materialized (
    select grouping(surfaces) = 0 of_model, grouping(language_type) = 0 of_sample, grouping(app_id) = 0 of_app,
      model, surfaces, context_bucket, category, language_type, app_id, sum(requests)::bigint requests,
      sum(tokens)::bigint tokens, sum(estimated)::bigint estimated
    from settled
    group by grouping sets ((model, surfaces, context_bucket), (model, category, language_type), (app_id))
  ),
  of_models as (
    insert into rankings_models (day, model, surfaces, context_bucket, total_tokens)
    select :day::date, model, surfaces, context_bucket, tokens from summed where of_model
  ),
  of_samples as (
    insert into rankings_samples (day, model, category, language_type, total_tokens)
    select :day::date, model, category, language_type, estimated from summed
    where of_sample and language_type is not null
  )
  insert into rankings_apps (day, app_id, total_tokens, total_requests)
  select :day::date, app_id, tokens, requests from summed where of_app and app_id is not null`;
