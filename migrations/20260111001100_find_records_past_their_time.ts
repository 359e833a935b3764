import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/** Jobs that have ended are deleted in the order of their end, audit entries in the order of their time. */
export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, {
    video_jobs_ended: 'video_jobs (ended_at) where ended_at is not null',
    audit_log_created: 'audit_log (created_at)',
  });
}

export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, ['video_jobs_ended', 'audit_log_created']);
}
