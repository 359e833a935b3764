import type { Knex } from 'knex';
import { buildIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/**
 * A file is noted here before it is put into the object store, and becomes a row of `job_outputs` once it is
 * there: what nobody lived to record is found by this, and removed. A table of its own, so that nobody who
 * reads outputs can take a note for one. The files to be removed are read in the order of the outputs' key.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table if not exists intended_outputs (
      job_id text not null references video_jobs,
      index smallint not null,
      object_key text not null,
      created_at timestamptz not null default now(),
      primary key (job_id, index)
    )
  `);
  await buildIndexes(knex, { job_outputs_held: 'job_outputs (job_id, index) where removed_at is null' });
}

export async function down(knex: Knex): Promise<void> {
  await buildIndexes(knex, { job_outputs_held: 'job_outputs (created_at) where removed_at is null' });
  await knex.raw('drop table if exists intended_outputs');
}
