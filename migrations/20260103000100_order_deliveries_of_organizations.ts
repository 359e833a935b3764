import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/** A management key lists the deliveries of its whole organization, newest first: no longer by sorting them all. */
export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, {
    webhook_deliveries_organization_newest: 'webhook_deliveries (organization_id, created_at desc, id desc)',
  });
  await dropIndexes(knex, ['webhook_deliveries_organization']);
}

export async function down(knex: Knex): Promise<void> {
  await buildIndexes(knex, { webhook_deliveries_organization: 'webhook_deliveries (organization_id)' });
  await dropIndexes(knex, ['webhook_deliveries_organization_newest']);
}
