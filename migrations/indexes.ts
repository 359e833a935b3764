/** Builds and drops indexes in migrations while the tables are in use. */
import type { Knex } from 'knex';

/** The `config` of a migration that builds or drops indexes of tables in use. Each of its steps must be repeatable. */
export const WITHOUT_TRANSACTION = { transaction: false };

/**
 * Builds indexes, by their names, without blocking writers of their tables. The build waits until all older
 * transactions have ended. An index that an interrupted build left behind is dropped first.
 */
export async function buildIndexes(knex: Knex, indexes: Record<string, string>): Promise<void> {
  await unlimited(knex, async () => {
    for (const [name, definition] of Object.entries(indexes)) {
      await knex.raw(`drop index concurrently if exists ${name}`);
      await knex.raw(`create index concurrently ${name} on ${definition}`);
    }
  });
}

export async function dropIndexes(knex: Knex, names: string[]): Promise<void> {
  await unlimited(knex, async () => {
    for (const name of names) await knex.raw(`drop index concurrently if exists ${name}`);
  });
}

/** Runs work without the migrator's limit on waiting for locks, because nothing waits behind a concurrent build. */
async function unlimited(knex: Knex, work: () => Promise<void>): Promise<void> {
  // The migrator has one connection, so the setting applies to all of the work.
  await knex.raw('set lock_timeout = 0');
  await work().finally(() => knex.raw('reset lock_timeout'));
}
