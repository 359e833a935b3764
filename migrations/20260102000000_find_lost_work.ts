import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/** For the sweep, which asks after deliveries that were dispatched and not heard of since, and for removing files. */
export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, {
    webhook_deliveries_dispatched: `webhook_deliveries (dispatched_at)
      where status = 'pending' and dispatched_at is not null`,
    job_outputs_held: 'job_outputs (created_at) where removed_at is null',
  });
  await dropIndexes(knex, ['video_jobs_outputs_expire']);
}

export async function down(knex: Knex): Promise<void> {
  await buildIndexes(knex, {
    video_jobs_outputs_expire: 'video_jobs (outputs_expire_at) where outputs_expire_at is not null',
  });
  await dropIndexes(knex, ['job_outputs_held', 'webhook_deliveries_dispatched']);
}
