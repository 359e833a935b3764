import type { Knex } from 'knex';

/**
 * What a provider may still be at work on although its job is over here (`stop_wanted_at`), when it is asked again
 * to stop (`ask_again_at`), and since when there is nothing left to find out (`closed_at`): it ended the job by
 * itself, took our cancel, knows no such job, or an operator looked it up.
 *
 * Answers that came too late before this migration were cancelled once, and what came of it was not written down.
 * Those of the last day are asked about again; of older ones no provider is thought to be at work.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    set local lock_timeout = '5s';
    alter table job_submissions
      add stop_wanted_at timestamptz,
      add ask_again_at timestamptz,
      add closed_at timestamptz;
    update job_submissions set stop_wanted_at = answered_at, ask_again_at = now()
      where state = 'orphaned' and answered_at > now() - interval '1 day';
    drop index job_submissions_unconfirmed;
    create index job_submissions_unconfirmed on job_submissions (sent_at)
      where (state = 'unconfirmed' or stop_wanted_at is not null) and closed_at is null;
    create index job_submissions_ask_again on job_submissions (ask_again_at) where ask_again_at is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    set local lock_timeout = '5s';
    drop index job_submissions_unconfirmed, job_submissions_ask_again;
    create index job_submissions_unconfirmed on job_submissions (sent_at) where state = 'unconfirmed';
    alter table job_submissions
      drop stop_wanted_at,
      drop ask_again_at,
      drop closed_at;
  `);
}
