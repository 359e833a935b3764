/** Adds to each generation what its bill depends on, apart from the prices. */
import type { Knex } from 'knex';

/** The column is null for older rows. Its type is `json`, not `jsonb`: it is read as a whole, and never searched. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table generation_details add column bill json');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table generation_details drop column bill');
}
