import type { Knex } from 'knex';

/**
 * Whether a provider took our cancel, so that operators can find the jobs that it may still be at work on. A
 * provider that is busy for days refuses more submissions than a smallint can number.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table job_submissions
      alter n type integer,
      add cancel_confirmed_at timestamptz;
    drop index job_submissions_unconfirmed;
    create index job_submissions_unconfirmed on job_submissions (sent_at)
      where state = 'unconfirmed' or (state = 'orphaned' and cancel_confirmed_at is null);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop index job_submissions_unconfirmed;
    create index job_submissions_unconfirmed on job_submissions (sent_at) where state = 'unconfirmed';
    alter table job_submissions
      alter n type smallint,
      drop cancel_confirmed_at;
  `);
}
