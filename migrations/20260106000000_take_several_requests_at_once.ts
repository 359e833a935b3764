import type { Knex } from 'knex';

/**
 * A rate limit is asked about several requests in one statement, which says how many it granted. What `taken` says
 * is read by processes of the version before only; it goes when none of them runs any more.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table rate_limit_windows
      add granted integer not null default 0,
      alter taken set default false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table rate_limit_windows
      drop granted,
      alter taken drop default;
  `);
}
