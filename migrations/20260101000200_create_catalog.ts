import type { Knex } from 'knex';

/**
 * Providers, models and the endpoints that serve them. Read into memory as a whole by every process; a
 * statement trigger tells them to read again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table providers (
      slug text primary key check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
      name text not null,
      adapter text not null,
      base_url text,
      updated_at timestamptz not null default now()
    );
    create table models (
      id text primary key check (id ~ '^[^/ ]+/[^/ ]+$'),
      canonical_slug text not null unique,
      name text not null,
      description text,
      facts jsonb not null default '{}',
      created_at timestamptz not null,
      updated_at timestamptz not null default now()
    );
    create table endpoints (
      id text primary key,
      model_id text not null references models on delete cascade,
      provider_slug text not null references providers on delete cascade,
      capability text not null,
      upstream_model_id text not null,
      region text not null default 'global' check (region in ('global', 'europe', 'us')),
      pricing jsonb not null,
      capabilities jsonb not null default '{}',
      max_run_seconds integer not null default 3600 check (max_run_seconds > 0),
      enabled boolean not null default true,
      priority integer not null default 0,
      updated_at timestamptz not null default now(),
      unique (model_id, provider_slug, capability, upstream_model_id)
    );
    create index endpoints_provider on endpoints (provider_slug);

    create function notify_catalog() returns trigger language plpgsql as $$
      begin
        perform pg_notify('sluice_catalog', '');
        return null;
      end $$;
    create trigger providers_notify after insert or update or delete on providers
      for each statement execute function notify_catalog();
    create trigger models_notify after insert or update or delete on models
      for each statement execute function notify_catalog();
    create trigger endpoints_notify after insert or update or delete on endpoints
      for each statement execute function notify_catalog();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop table endpoints, models, providers;
    drop function notify_catalog();
  `);
}
