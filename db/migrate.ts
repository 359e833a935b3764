import { readdir } from 'node:fs/promises';
import type { Knex } from 'knex';
import pg from 'pg';
import { createDatabase } from './connection.ts';

const FOLDER = new URL('../migrations/', import.meta.url);

interface Migration {
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/**
 * Lists migrations by name without their extension, so that a database migrated from the TypeScript sources
 * and one migrated from the built files agree on what they hold.
 */
const migrationSource: Knex.MigrationSource<string> = {
  async getMigrations() {
    const files = await readdir(FOLDER);
    return files.filter((name) => /^\d{14}_\w+\.(ts|js)$/.test(name)).toSorted();
  },
  getMigrationName: (file) => file.replace(/\.(ts|js)$/, ''),
  getMigration: (file) => import(new URL(file, FOLDER).href) as Promise<Migration>,
};

/** Brings the database to the newest schema; returns the names of what it applied. Safe to run twice at once. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (knex) => {
    const [, applied] = (await knex.migrate.latest({ migrationSource })) as [number, string[]];
    return applied;
  });
}

/** Takes the whole schema away again. For tests of the migrations. */
export async function rollBackAll(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (knex) => {
    const [, undone] = (await knex.migrate.rollback({ migrationSource }, true)) as [number, string[]];
    return undone;
  });
}

/**
 * One migrator at a time. Postgres' lock waits and ends with its connection; Knex's own throws instead of
 * waiting and outlives a process that dies, so what is left of it is removed first.
 */
async function withMigrator<T>(databaseUrl: string, work: (knex: Knex) => Promise<T>): Promise<T> {
  const holder = new pg.Client({ connectionString: databaseUrl, application_name: 'sluice-migrate' });
  const database = createDatabase({ url: databaseUrl, poolMax: 2, applicationName: 'sluice-migrate' });
  try {
    await holder.connect();
    await holder.query(`select pg_advisory_lock(hashtext('sluice_migrate'))`);
    await database.knex.migrate.forceFreeMigrationsLock({ migrationSource });
    return await work(database.knex);
  } finally {
    await database.close();
    await holder.end();
  }
}
