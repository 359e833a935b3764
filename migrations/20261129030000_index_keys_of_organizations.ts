/** Builds the index with which an organization lists the keys of all its workspaces. */
import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, {
    api_keys_newest_of_organization: `api_keys (organization_id, id desc)
      where kind = 'regular' and deleted_at is null`,
  });
}

export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, ['api_keys_newest_of_organization']);
}
