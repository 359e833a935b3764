/** Builds the index of video jobs whose bill an operator should look at. */
import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, { video_jobs_flagged: 'video_jobs (ended_at) where billing_flag is not null' });
}

export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, ['video_jobs_flagged']);
}
