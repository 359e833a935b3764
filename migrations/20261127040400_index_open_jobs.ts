/** Adds the size of requests to the index of an organization's open jobs. */
import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

const OPEN = `where status in ('pending', 'in_progress')`;
const EARLIER = {
  video_jobs_open_by_organization: `video_jobs (organization_id) include (price_nanos) ${OPEN}`,
};
const INDEXES = {
  video_jobs_open_of_organization: `video_jobs (organization_id) include (price_nanos, request_bytes) ${OPEN}`,
};

/** The new index replaces the earlier one, also for the statements of the previous version. */
export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, INDEXES);
  await dropIndexes(knex, Object.keys(EARLIER));
}

export async function down(knex: Knex): Promise<void> {
  await buildIndexes(knex, EARLIER);
  await dropIndexes(knex, Object.keys(INDEXES));
}
