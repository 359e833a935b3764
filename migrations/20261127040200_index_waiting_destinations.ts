/** Indexes the destinations that wait for their turn. */
import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

const INDEXES = {
  broadcast_progress_waiting: 'broadcast_progress (waiting_since) where waiting_since is not null',
};

export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, INDEXES);
}

export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, Object.keys(INDEXES));
}
