/**
 * Lets rows of `unsummed_generations` be deleted while a publication of all tables exists, such as that of an upgrade
 * by logical replication. The table has no key, and Postgres refuses deletes that it cannot name to subscribers. It
 * writes the whole old row to its log only if `wal_level` is `logical`.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table unsummed_generations replica identity full');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table unsummed_generations replica identity default');
}
