import type { Knex } from 'knex';

/**
 * Chat and embeddings in the catalog. What an endpoint accepts stays in `capabilities`; what routing chooses
 * by on behalf of a caller's data policy is a column, and what nobody has vouched for is taken as the worse.
 *
 * Every model so far makes video, and now says so.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table endpoints
      add column collects_data boolean not null default true,
      add column zdr boolean not null default false,
      add column distillable boolean not null default false,
      add column timeouts jsonb not null default '{}',
      add constraint endpoints_capability check (capability in ('video', 'chat', 'embeddings')),
      add constraint endpoints_data_policy check (not (zdr and collects_data));
    update models
      set facts = facts || '{"inputModalities": ["text"], "outputModalities": ["video"], "contextLength": null}';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    delete from endpoints where capability <> 'video';
    update models set facts = facts - '{inputModalities,outputModalities,contextLength}'::text[];
    alter table endpoints
      drop column collects_data,
      drop column zdr,
      drop column distillable,
      drop column timeouts,
      drop constraint endpoints_capability;
  `);
}
