import type { Knex } from 'knex';

/**
 * The ledger (design: §5): one narrow row per generation, partitioned by the day inside its id, and the
 * counters that limits and `GET /key` read. Counters are sharded so that one busy customer is not one hot
 * row; `settled_on` is the UTC day on which the generation was settled, which periods go by.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
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

    create table key_usage (
      key_id bigint not null,
      settled_on date not null,
      shard smallint not null,
      usage_nanos numeric(30, 0) not null,
      byok_usage_nanos numeric(30, 0) not null,
      request_count bigint not null,
      primary key (key_id, settled_on, shard)
    );
    create table key_usage_totals (
      key_id bigint not null,
      shard smallint not null,
      usage_nanos numeric(30, 0) not null,
      byok_usage_nanos numeric(30, 0) not null,
      request_count bigint not null,
      primary key (key_id, shard)
    );
    create table organization_usage_totals (
      organization_id uuid not null,
      shard smallint not null,
      usage_nanos numeric(30, 0) not null,
      byok_usage_nanos numeric(30, 0) not null,
      request_count bigint not null,
      primary key (organization_id, shard)
    );

    create function ensure_ledger_partition(at timestamptz) returns void language plpgsql as $$
      declare
        first_day date := (at at time zone 'UTC')::date;
        suffix text := to_char(first_day, 'YYYYMMDD');
        parent text;
      begin
        foreach parent in array array['generations', 'generation_details'] loop
          if to_regclass(parent || '_' || suffix) is null then
            perform pg_advisory_xact_lock(hashtext('ensure_ledger_partition'));
            execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
              parent || '_' || suffix, parent,
              first_day::timestamp at time zone 'UTC', (first_day + 1)::timestamp at time zone 'UTC');
          end if;
        end loop;
      end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop function ensure_ledger_partition(timestamptz);
    drop table organization_usage_totals, key_usage_totals, key_usage, generation_details, generations;
  `);
}
