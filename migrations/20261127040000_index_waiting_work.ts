/** Indexes the work that waits for its start by its organization, because organizations take turns. */
import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

const WAITING = `(organization_id, created_at) where status = 'pending' and dispatched_at is null`;
const INDEXES = {
  video_jobs_waiting: `video_jobs ${WAITING}`,
  webhook_deliveries_waiting: `webhook_deliveries ${WAITING}`,
};

export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, INDEXES);
}

export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, Object.keys(INDEXES));
}
