import type { Knex } from 'knex';

const TABLES = ['providers', 'models', 'endpoints'];

/**
 * An import may give an endpoint the place that another one of it leaves, so the places are compared when it is
 * committed. And rows that are written as they were tell nobody to read the catalog again: the triggers fire by row,
 * and equal notices of a transaction are one.
 */
export async function up(knex: Knex): Promise<void> {
  await replacePlace(knex, 'constraint endpoints_place', 'deferrable initially immediate');
  await replaceTriggers(knex, 'row');
}

export async function down(knex: Knex): Promise<void> {
  await replaceTriggers(knex, 'statement');
  await replacePlace(knex, '', 'not deferrable');
}

/** Whatever its name is: the first one was Postgres's choice. */
async function replacePlace(knex: Knex, named: string, timing: string): Promise<void> {
  await knex.raw(`
    do $$
      declare
        present text := (select conname from pg_constraint where conrelid = 'endpoints'::regclass and contype = 'u');
      begin
        execute format('alter table endpoints drop constraint %I', present);
      end $$;
    alter table endpoints add ${named}
      unique (model_id, provider_slug, capability, upstream_model_id) ${timing};
  `);
}

async function replaceTriggers(knex: Knex, level: 'row' | 'statement'): Promise<void> {
  for (const table of TABLES) {
    await knex.raw(`
      drop trigger ${table}_notify on ${table};
      create trigger ${table}_notify after insert or update or delete on ${table}
        for each ${level} execute function notify_catalog();
    `);
  }
}
