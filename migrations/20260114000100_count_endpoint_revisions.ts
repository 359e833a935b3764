import type { Knex } from 'knex';

/**
 * Counts the changes of a private endpoint's configuration. A validation holds for the revision that it tested, so a
 * configuration that is changed and changed back has to be validated again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`alter table private_endpoints add column revision integer not null default 0;`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`alter table private_endpoints drop column revision;`);
}
