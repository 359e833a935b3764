/** Creates the tables of classifiers, their tags and the rankings. */
import type { Knex } from 'knex';

/**
 * Classifiers of workspaces give tags to generations: a row for each generation, dimension and value. A tag has its
 * generation's `created_at`, so that a join reads one partition. The worker deletes the tags when it drops that
 * partition.
 */
const CLASSIFIERS = `
  create table classifiers (
    id uuid primary key,
    workspace_id uuid not null references workspaces,
    name text not null,
    description text,
    is_active boolean not null default true,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index classifiers_oldest on classifiers (workspace_id, created_at, id);

  create table classifier_tags (
    classifier_id uuid not null references classifiers,
    created_at timestamptz not null,
    generation_id text collate "C" not null,
    dimension text collate "C" not null,
    value text collate "C" not null,
    primary key (classifier_id, created_at, generation_id, dimension, value)
  );
  comment on column classifier_tags.created_at is 'When the generation was created.';
`;

/**
 * Rankings are the usage of public models and by apps on each past UTC day, added up from the generations settled on
 * that day (db/insights/rankings-store.ts). They are never deleted, unlike the generations.
 *
 * `request_count` is the number of requests of a day when it was closed. A generation may be recorded days later, after
 * an outage of Postgres: then the number shows that the day has grown.
 */
const RANKINGS = `
  create table rankings_days (
    day date primary key,
    closed_at timestamptz not null,
    request_count bigint not null default 0
  );

  create table rankings_models (
    total_tokens bigint not null,
    day date not null,
    surfaces smallint not null,
    context_bucket smallint not null,
    model text collate "C" not null,
    primary key (day, model, surfaces, context_bucket)
  );
  comment on column rankings_models.surfaces is
    'One bit each, from the lowest, in the order of RANKED_SURFACES in domain/insights/rankings.ts.';
  comment on column rankings_models.context_bucket is
    'The place in CONTEXT_BUCKETS in domain/insights/rankings.ts, from 0; one more than the last for larger prompts.';

  create table rankings_samples (
    total_tokens bigint not null,
    day date not null,
    model text collate "C" not null,
    category text collate "C" not null,
    language_type text collate "C" not null,
    primary key (day, model, category, language_type)
  );
  comment on column rankings_samples.total_tokens is 'What the sampled generations stand for.';
  comment on column rankings_samples.category is 'Empty when the prompts said too little.';

  create table rankings_apps (
    app_id bigint not null,
    total_tokens bigint not null,
    total_requests bigint not null,
    day date not null,
    primary key (day, app_id)
  );
`;

/** Creates classifiers with their tags, and rankings. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [CLASSIFIERS, RANKINGS]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table rankings_apps, rankings_samples, rankings_models, rankings_days, classifier_tags, classifiers;
  `);
}
