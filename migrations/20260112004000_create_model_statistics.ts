import type { Knex } from 'knex';

/**
 * Holds the statistics of models and endpoints that workers read in the ledger, for all API processes. One row is one stretch of time, and
 * is written and read as a whole: nothing ever asks for a part of `value`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table model_statistics (
      part text not null check (part in ('recent', 'hour', 'day')),
      starts_at timestamptz not null,
      value json not null,
      read_at timestamptz not null,
      took_ms integer not null check (took_ms >= 0),
      written_at timestamptz not null default now(),
      primary key (part, starts_at)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop table model_statistics');
}
