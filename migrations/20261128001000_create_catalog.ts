/** Creates the tables of the catalog: providers, models, endpoints and their statistics. */
import type { Knex } from 'knex';

/**
 * The catalog consists of providers, models, and the endpoints that serve the models. `source` says who wrote a row: a
 * new version of Sluice updates bundled rows, and never those that an operator imported. `facts` has the further
 * properties of a provider or model.
 */
const PROVIDERS_AND_MODELS = `
  create table providers (
    slug text primary key check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
    name text not null,
    adapter text not null,
    base_url text,
    facts jsonb not null default '{}',
    source text not null default 'bundled' check (source in ('bundled', 'imported')),
    updated_at timestamptz not null default now()
  );

  create table models (
    id text primary key check (id ~ '^[^/ ]+/[^/ ]+$'),
    canonical_slug text not null unique,
    name text not null,
    description text,
    facts jsonb not null default '{}',
    source text not null default 'bundled' check (source in ('bundled', 'imported')),
    created_at timestamptz not null,
    updated_at timestamptz not null default now()
  );
`;

/**
 * An endpoint is one model at one provider for one capability. `capabilities` has what it accepts. The data policy has
 * columns of its own, because routing selects by them; the defaults assume the worse case.
 *
 * An import may give an endpoint the place of another one that moves, so it defers the check of unique places to its
 * commit.
 */
const ENDPOINTS = `
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
    timeouts jsonb not null default '{}',
    enabled boolean not null default true,
    priority integer not null default 0,
    collects_data boolean not null default true,
    zdr boolean not null default false,
    distillable boolean not null default false,
    source text not null default 'bundled' check (source in ('bundled', 'imported')),
    updated_at timestamptz not null default now(),
    constraint endpoints_capability
      check (capability in ('video', 'chat', 'embeddings', 'rerank', 'image', 'speech')),
    constraint endpoints_data_policy check (not (zdr and collects_data)),
    constraint endpoints_place
      unique (model_id, provider_slug, capability, upstream_model_id) deferrable initially immediate
  );
  create index endpoints_provider on endpoints (provider_slug);
  comment on column endpoints.enabled is
    'False: an import listed it no more. Jobs that run on it end; nothing new is sent to it.';
`;

/**
 * Every process reads the whole catalog into memory and reads it again after a notice. The triggers fire by row, so a
 * statement that changes no row announces nothing. Postgres delivers equal notices of a transaction once.
 */
const NOTICES = `
  create function notify_catalog() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_catalog', '');
      return null;
    end $$;
  create trigger providers_notify after insert or update or delete on providers
    for each row execute function notify_catalog();
  create trigger models_notify after insert or update or delete on models
    for each row execute function notify_catalog();
  create trigger endpoints_notify after insert or update or delete on endpoints
    for each row execute function notify_catalog();
`;

/**
 * Workers read statistics of models and endpoints from the ledger and store them here for all API processes. Each row
 * covers one period. It is written and read as a whole, since no query needs a part of `value`.
 */
const MODEL_STATISTICS = `
  create table model_statistics (
    part text not null check (part in ('recent', 'hour', 'day')),
    starts_at timestamptz not null,
    value json not null,
    read_at timestamptz not null,
    took_ms integer not null check (took_ms >= 0),
    written_at timestamptz not null default now(),
    primary key (part, starts_at)
  );
`;

/** Creates providers, models, endpoints and their statistics. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [PROVIDERS_AND_MODELS, ENDPOINTS, NOTICES, MODEL_STATISTICS]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table model_statistics, endpoints, models, providers;
    drop function notify_catalog();
  `);
}
