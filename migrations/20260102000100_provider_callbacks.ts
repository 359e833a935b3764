import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/** A vendor's callback signals a job's run at most once, and may name the job by the vendor's own id. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table video_jobs add column if not exists callback_signalled_at timestamptz');
  await buildIndexes(knex, {
    job_submissions_operation: `job_submissions (provider, (operation ->> 'id')) where operation is not null`,
  });
}

export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, ['job_submissions_operation']);
  await knex.raw('alter table video_jobs drop column if exists callback_signalled_at');
}
