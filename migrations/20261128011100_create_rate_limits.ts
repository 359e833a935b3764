/** Creates the table that counts the requests of each rate limit. */
import type { Knex } from 'knex';

/**
 * Creates the windows of rate limits. A scope has one row: `hits` are its requests of the running window, in Unix
 * milliseconds, oldest first. A statement requests several places at once; `granted` is how many it got.
 *
 * The table is unlogged: after a crash of Postgres every window begins empty, and no request waits for the disk. Half
 * of each page stays free for the next version of a row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create unlogged table rate_limit_windows (
      scope text primary key,
      hits bigint[] not null,
      granted integer not null,
      asked_at bigint not null
    ) with (fillfactor = 50);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table rate_limit_windows');
}
