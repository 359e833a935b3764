import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/**
 * What a provider may still be at work on although its job is over here (`stop_wanted_at`), when it is asked again
 * to stop (`ask_again_at`), and since when there is nothing left to find out (`closed_at`): it ended the job by
 * itself, took our cancel, knows no such job, or an operator looked it up.
 *
 * Answers that came too late before this migration were cancelled once, and what came of it was not written down.
 * Those of the last day are asked about again; of older ones no provider is thought to be at work.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table job_submissions
      add column if not exists stop_wanted_at timestamptz,
      add column if not exists ask_again_at timestamptz,
      add column if not exists closed_at timestamptz;
    update job_submissions set stop_wanted_at = answered_at, ask_again_at = now()
      where state = 'orphaned' and answered_at > now() - interval '1 day';
  `);
  await buildIndexes(knex, {
    job_submissions_unconfirmed: `job_submissions (sent_at)
      where (state = 'unconfirmed' or stop_wanted_at is not null) and closed_at is null`,
    job_submissions_ask_again: 'job_submissions (ask_again_at) where ask_again_at is not null',
  });
}

export async function down(knex: Knex): Promise<void> {
  await buildIndexes(knex, {
    job_submissions_unconfirmed: `job_submissions (sent_at) where state = 'unconfirmed'`,
  });
  await dropIndexes(knex, ['job_submissions_ask_again']);
  await knex.raw(`
    alter table job_submissions
      drop column if exists stop_wanted_at,
      drop column if exists ask_again_at,
      drop column if exists closed_at;
  `);
}
