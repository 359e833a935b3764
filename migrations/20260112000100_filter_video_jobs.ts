import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/**
 * Lists of jobs are filtered by model and by status. Most jobs complete, so that status needs no index; the open ones
 * have theirs, and the other ends are few.
 */
export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, {
    video_jobs_model: 'video_jobs (organization_id, model, created_at desc, id desc)',
    video_jobs_ended_without_video: `video_jobs (organization_id, status, created_at desc, id desc)
      where status in ('failed', 'cancelled', 'expired')`,
  });
}

export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, ['video_jobs_model', 'video_jobs_ended_without_video']);
}
