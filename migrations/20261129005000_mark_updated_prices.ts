/** Lets rows of the catalog say that `catalog update` wrote them. */
import type { Knex } from 'knex';

const TABLES = ['providers', 'models', 'endpoints'];

async function allow(knex: Knex, sources: string): Promise<void> {
  for (const table of TABLES) {
    const name = `${table}_source_check`;
    await knex.raw(
      `alter table ${table} drop constraint ${name}, add constraint ${name} check (source in (${sources}))`,
    );
  }
}

/** The tables have hundreds of rows, so checking them takes milliseconds. */
export async function up(knex: Knex): Promise<void> {
  await allow(knex, "'bundled', 'updated', 'imported'");
}

/** The previous version does not know the source, and writes its own rows again. */
export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES)
    await knex.raw(`update ${table} set source = 'bundled' where source = 'updated'`);
  await allow(knex, "'bundled', 'imported'");
}
