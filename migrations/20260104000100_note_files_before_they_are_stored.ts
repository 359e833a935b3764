import type { Knex } from 'knex';

/**
 * A file is noted here before it is put into the object store, and becomes a row of `job_outputs` once it is
 * there: what nobody lived to record is found by this, and removed. A table of its own, so that nobody who
 * reads outputs can take a note for one. The files to be removed are read in the order of the outputs' key.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    set local lock_timeout = '5s';
    create table intended_outputs (
      job_id text not null references video_jobs,
      index smallint not null,
      object_key text not null,
      created_at timestamptz not null default now(),
      primary key (job_id, index)
    );
    drop index job_outputs_held;
    create index job_outputs_held on job_outputs (job_id, index) where removed_at is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    set local lock_timeout = '5s';
    drop index job_outputs_held;
    create index job_outputs_held on job_outputs (created_at) where removed_at is null;
    drop table intended_outputs;
  `);
}
