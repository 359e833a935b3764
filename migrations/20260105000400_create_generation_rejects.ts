import type { Knex } from 'knex';

/**
 * Generations whose row Postgres refused, each alone: they were answered and are not billed until an operator
 * has looked. The record is text, because what is wrong with it may be that it is no JSON for Postgres.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table generation_rejects (
      generation_id text primary key,
      record text not null,
      error text not null,
      rejected_at timestamptz not null default now()
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop table generation_rejects');
}
