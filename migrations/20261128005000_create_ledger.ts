/** Creates the tables of the ledger, and the functions that add and drop its daily partitions. */
import type { Knex } from 'knex';

/**
 * The ledger has one row for each generation, with everything that `GET /generation`, analytics, rankings and
 * forwarding read of it (domain/ledger/generation.ts). `generation_details` has what only `GET /generation` shows.
 *
 * The columns of `generations` are ordered from wide to narrow, so that rows contain no padding. Texts are compared
 * byte by byte, because they are names and need no collation of a language.
 */
const GENERATIONS = `
  create table apps (
    id bigint generated always as identity primary key,
    origin text collate "C" not null,
    title text collate "C" not null,
    created_at timestamptz not null default now(),
    unique (origin, title)
  );
  comment on column apps.title is 'Empty when the app gives none.';

  -- Four bytes in each row instead of a word.
  create type api_type as enum ('completions', 'embeddings', 'rerank', 'image', 'tts', 'video');
  create type generation_status as enum ('completed', 'failed', 'cancelled', 'expired');
  create type data_region as enum ('global', 'europe', 'us');

  create table generations (
    created_at timestamptz not null,
    settled_at timestamptz not null,
    key_id bigint not null,
    app_id bigint,
    organization_id uuid not null,
    workspace_id uuid not null,
    tokens_prompt integer,
    tokens_completion integer,
    tokens_reasoning integer,
    tokens_cache_read integer,
    tokens_cache_write integer,
    tokens_prompt_audio integer,
    tokens_completion_image integer,
    media_prompt integer,
    media_completion integer,
    latency_ms integer,
    generation_ms integer,
    sample_weight integer,
    api_type api_type not null,
    status generation_status not null,
    data_region data_region not null,
    tool_calls smallint not null,
    input_modalities smallint not null,
    output_modalities smallint not null,
    is_byok boolean not null,
    streamed boolean not null,
    id text collate "C" not null,
    model text collate "C" not null,
    provider text collate "C" not null,
    cost_nanos numeric(30, 0) not null,
    upstream_cost_nanos numeric(30, 0),
    finish_reason text collate "C",
    country text collate "C",
    user_id text collate "C",
    external_user text collate "C",
    preset_id text collate "C",
    sample_category text collate "C",
    sample_language_type text collate "C",
    primary key (created_at, id)
  ) partition by range (created_at);
  create index generations_workspace on generations (workspace_id, settled_at);
  comment on column generations.input_modalities is
    'One bit each, from the lowest, in the order of MODALITIES in domain/ledger/generation.ts.';

  create table generation_details (
    created_at timestamptz not null,
    id text collate "C" not null,
    upstream_id text,
    native_finish_reason text,
    service_tier text,
    session_id text,
    http_referer text,
    app_title text,
    user_agent text,
    request_id text,
    provider_responses json,
    primary key (created_at, id)
  ) partition by range (created_at);
`;

/**
 * Partitions hold one day each, by the time in a generation's id. A new partition is created as a table and then
 * attached: unlike a partition created in place, it does not wait for running batches, and they do not wait for it.
 */
const NEW_PARTITIONS = `
  create function ensure_ledger_partition(at timestamptz) returns void language plpgsql as $$
    declare
      first_day date := (at at time zone 'UTC')::date;
      suffix text := to_char(first_day, 'YYYYMMDD');
      parent text;
    begin
      foreach parent in array array['generations', 'generation_details'] loop
        continue when to_regclass(parent || '_' || suffix) is not null;
        perform pg_advisory_xact_lock(hashtext('ensure_ledger_partition'));
        -- to_regclass does not see what others made while this waited for the lock.
        continue when exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = parent::regclass and c.relname = parent || '_' || suffix);
        execute format('create table %I (like %I including all)', parent || '_' || suffix, parent);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
          parent, parent || '_' || suffix,
          first_day::timestamp at time zone 'UTC', (first_day + 1)::timestamp at time zone 'UTC');
      end loop;
    end $$;
`;

/**
 * Old generations are dropped by the day. `dropped_generations` keeps their sums by key and by the day on which they
 * count, so that the counters can still be verified.
 *
 * A day is dropped only after the rankings of all days on which its generations count are closed. Dropping locks the
 * whole ledger for a moment, and other statements wait behind it. Each attempt therefore waits for 50 ms at most, and
 * other work continues between two attempts.
 */
const OLD_PARTITIONS = `
  create table dropped_generations (
    created_on date not null,
    settled_on date not null,
    organization_id uuid not null,
    workspace_id uuid not null,
    key_id bigint not null,
    usage_nanos numeric(30, 0) not null,
    byok_usage_nanos numeric(30, 0) not null,
    request_count bigint not null,
    primary key (created_on, settled_on, organization_id, workspace_id, key_id)
  );

  create function drop_ledger_partition(day date) returns void language plpgsql as $$
    declare
      suffix text := to_char(day, 'YYYYMMDD');
    begin
      if exists (
        select from generate_series(greatest(day, date '2025-01-01'), day + 2, interval '1 day') past
        where not exists (select from rankings_days r where r.day = past::date)
      ) then
        -- The error of a day that is in use, which callers try again later.
        raise exception 'rankings of % are not closed', day using errcode = 'lock_not_available';
      end if;
      perform set_config('lock_timeout', '200ms', true);
      execute format('lock table %I in share mode', 'generations_' || suffix);
      execute format(
        'insert into dropped_generations as t
         select $1, (settled_at at time zone ''UTC'')::date, organization_id, workspace_id, key_id,
           sum(case when is_byok then 0 else cost_nanos end),
           sum(case when is_byok then cost_nanos else 0 end), count(*)
         from %I group by 2, 3, 4, 5
         on conflict (created_on, settled_on, organization_id, workspace_id, key_id) do update
           set usage_nanos = t.usage_nanos + excluded.usage_nanos,
               byok_usage_nanos = t.byok_usage_nanos + excluded.byok_usage_nanos,
               request_count = t.request_count + excluded.request_count',
        'generations_' || suffix) using day;
      perform set_config('lock_timeout', '50ms', true);
      for attempt in 1..6 loop
        begin
          execute format('drop table %I', 'generations_' || suffix);
          execute format('drop table if exists %I', 'generation_details_' || suffix);
          return;
        exception when lock_not_available then
          if attempt = 6 then
            raise;
          end if;
          perform pg_sleep(0.05 * 2 ^ attempt);
        end;
      end loop;
    end $$;
`;

/**
 * Stores generations whose rows Postgres refused, even when each was written alone. The caller got the response, but is
 * not billed until an operator handles the row. The record is text, because Postgres may not accept it as JSON.
 */
const GENERATION_REJECTS = `
  create table generation_rejects (
    generation_id text primary key,
    record text not null,
    error text not null,
    rejected_at timestamptz not null default now()
  );
`;

/**
 * Inputs and outputs that a workspace logs are in the object store. A row is written before its object, so that every
 * object is known and expired ones are found without listing the bucket.
 */
const LOGGED_BODIES = `
  create table logged_bodies (
    generation_id text collate "C" primary key,
    organization_id uuid not null,
    workspace_id uuid not null,
    object_key text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  );
  create index logged_bodies_expiry on logged_bodies (expires_at, generation_id);
`;

/**
 * Creates the ledger: generations in partitions of a day, their apps, rejected generations, and the list of logged
 * bodies.
 */
export async function up(knex: Knex): Promise<void> {
  for (const part of [GENERATIONS, NEW_PARTITIONS, OLD_PARTITIONS, GENERATION_REJECTS, LOGGED_BODIES]) {
    await knex.raw(part);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function drop_ledger_partition(date), ensure_ledger_partition(timestamptz);
    drop table logged_bodies, generation_rejects, dropped_generations, generation_details, generations, apps;
    drop type api_type, generation_status, data_region;
  `);
}
