import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/** What the open jobs of a workspace may cost counts under its budgets. */
export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, {
    video_jobs_open_by_workspace: `video_jobs (workspace_id)
      include (price_nanos, is_byok) where status in ('pending', 'in_progress')`,
  });
}

export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, ['video_jobs_open_by_workspace']);
}
