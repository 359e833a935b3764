import type { Knex } from 'knex';

/**
 * The ledger's row carries all that `GET /generation`, analytics, rankings and forwarding read of a generation
 * (domain/ledger/generation.ts). Both tables are made anew rather than altered, with their columns from wide to narrow,
 * so that no byte of a row is padding; what they hold is kept. Texts are compared byte by byte: they are names,
 * and their indexes need no language.
 *
 * A partition is attached, not created in place, because that does not wait for the batches under way, nor do
 * they wait for it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table apps (
      id bigint generated always as identity primary key,
      origin text collate "C" not null,
      title text collate "C" not null,
      created_at timestamptz not null default now(),
      unique (origin, title)
    );
    comment on column apps.title is 'Empty when the app gives none.';

    -- Four bytes instead of a word in each row.
    create type api_type as enum ('completions', 'embeddings', 'rerank', 'image', 'tts', 'video');
    create type generation_status as enum ('completed', 'failed', 'cancelled', 'expired');
    create type data_region as enum ('global', 'europe', 'us');

    -- What is settled until the commit must be in the copy.
    lock table generations, generation_details in access exclusive mode;
    create temporary table kept_generations on commit drop as
      select g.*, d.upstream_id, d.session_id, d.external_user, d.http_referer, d.app_title, d.user_agent,
             d.request_id, d.provider_responses
      from generations g left join generation_details d using (created_at, id);
    drop table generations, generation_details;

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
      sample_language text collate "C",
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

    create or replace function ensure_ledger_partition(at timestamptz) returns void language plpgsql as $$
      declare
        first_day date := (at at time zone 'UTC')::date;
        suffix text := to_char(first_day, 'YYYYMMDD');
        parent text;
      begin
        foreach parent in array array['generations', 'generation_details'] loop
          continue when to_regclass(parent || '_' || suffix) is not null;
          perform pg_advisory_xact_lock(hashtext('ensure_ledger_partition'));
          -- Not by to_regclass again: waiting for this lock does not tell it what others made meanwhile.
          continue when exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = parent::regclass and c.relname = parent || '_' || suffix);
          execute format('create table %I (like %I including all)', parent || '_' || suffix, parent);
          execute format('alter table %I attach partition %I for values from (%L) to (%L)',
            parent, parent || '_' || suffix,
            first_day::timestamp at time zone 'UTC', (first_day + 1)::timestamp at time zone 'UTC');
        end loop;
      end $$;

    select ensure_ledger_partition(created_on)
    from (select distinct date_trunc('day', created_at, 'UTC') created_on from kept_generations) days;

    insert into generations (created_at, settled_at, key_id, organization_id, workspace_id, tokens_prompt,
      tokens_completion, media_prompt, media_completion, generation_ms, tool_calls, input_modalities,
      output_modalities, is_byok, streamed, id, model, provider, api_type, status, data_region, cost_nanos,
      upstream_cost_nanos, external_user)
    select created_at, settled_at, key_id, organization_id, workspace_id, tokens_prompt, tokens_completion,
      media_prompt, media_completion, generation_ms, 0, 1, case when status = 'completed' then 8 else 0 end,
      is_byok, streamed, id, model, provider, api_type::api_type, status::generation_status,
      data_region::data_region, cost_nanos, upstream_cost_nanos, external_user
    from kept_generations;
    insert into generation_details (created_at, id, upstream_id, session_id, http_referer, app_title, user_agent,
      request_id, provider_responses)
    select created_at, id, upstream_id, session_id, http_referer, app_title, user_agent, request_id,
      provider_responses
    from kept_generations;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create temporary table kept_generations on commit drop as
      select g.*, d.upstream_id, d.session_id, d.http_referer, d.app_title, d.user_agent, d.request_id,
             d.provider_responses
      from generations g left join generation_details d using (created_at, id);
    drop table generations, generation_details, apps;

    create table generations (
      id text not null,
      created_at timestamptz not null,
      settled_at timestamptz not null,
      organization_id uuid not null,
      workspace_id uuid not null,
      key_id bigint not null,
      model text not null,
      provider text not null,
      api_type text not null,
      status text not null,
      cost_nanos numeric(30, 0) not null,
      upstream_cost_nanos numeric(30, 0),
      is_byok boolean not null default false,
      cancelled boolean not null default false,
      streamed boolean not null default false,
      data_region text not null default 'global',
      tokens_prompt integer,
      tokens_completion integer,
      media_prompt integer,
      media_completion integer,
      generation_ms integer,
      primary key (created_at, id)
    ) partition by range (created_at);
    create index generations_workspace on generations (workspace_id, settled_at);
    create table generation_details (
      id text not null,
      created_at timestamptz not null,
      upstream_id text,
      session_id text,
      external_user text,
      http_referer text,
      app_title text,
      user_agent text,
      request_id text,
      provider_responses jsonb,
      primary key (created_at, id)
    ) partition by range (created_at);

    select ensure_ledger_partition(created_on)
    from (select distinct date_trunc('day', created_at, 'UTC') created_on from kept_generations) days;
    insert into generations
    select id, created_at, settled_at, organization_id, workspace_id, key_id, model, provider, api_type::text,
      status::text, cost_nanos, upstream_cost_nanos, is_byok, status = 'cancelled', streamed, data_region::text,
      tokens_prompt,
      tokens_completion, media_prompt, media_completion, generation_ms
    from kept_generations;
    insert into generation_details
    select id, created_at, upstream_id, session_id, external_user, http_referer, app_title, user_agent,
      request_id, provider_responses::jsonb
    from kept_generations;
    drop table kept_generations;
    drop type api_type, generation_status, data_region;
  `);
}
