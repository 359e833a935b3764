/**
 * Builds the index of webhook deliveries that failed, for lists and replays of a workspace since a moment. It includes
 * the organization, so that a count needs no rows of the table.
 */
import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, {
    webhook_deliveries_failed: `webhook_deliveries (workspace_id, created_at, id) include (organization_id) where status in ('exhausted', 'stopped')`,
  });
}

export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, ['webhook_deliveries_failed']);
}
