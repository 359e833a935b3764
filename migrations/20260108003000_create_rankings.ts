import type { Knex } from 'knex';

/**
 * What was used of public models and by apps on each UTC day that is over, added up from the generations settled on
 * it (db/insights/rankings-store.ts). Kept for ever: the generations themselves are dropped.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table rankings_days (
      day date primary key,
      closed_at timestamptz not null
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
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop table rankings_apps, rankings_samples, rankings_models, rankings_days');
}
