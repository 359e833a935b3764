import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/** Workers page through the keys that have a limit. Most keys may have none. */
export async function up(knex: Knex): Promise<void> {
  await buildIndexes(knex, {
    api_keys_limited: 'api_keys (id) where limit_nanos > 0 and deleted_at is null',
  });
}

export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, ['api_keys_limited']);
}
