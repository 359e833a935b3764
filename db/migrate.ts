/** Applies migrations to a database, and undoes them in tests. */
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import knexFactory, { type Knex } from 'knex';
import type pg from 'pg';
import { isLockTimeout } from './postgres/outage.ts';
import { requireSupportedPostgres } from './postgres/postgres-version.ts';
import { createSession, KEEP_ALIVE } from './postgres/session.ts';
import { bool, text } from './postgres/shape.ts';
import { rowsOf } from './postgres/statement.ts';

const FOLDER = new URL('../migrations/', import.meta.url);

interface Migration {
  config?: { transaction: boolean };
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/** Thrown for a database that was migrated before the migrations were squashed. No version can upgrade it. */
export class UnreleasedSchemaError extends Error {
  constructor() {
    super(
      'This database was made by an unreleased version and cannot be upgraded: if npm start made it, remove the folder ' +
        '.data (or DATA_DIR) and start again; otherwise drop the database and create an empty one.',
    );
    this.name = 'UnreleasedSchemaError';
  }
}

type MigrationSource = Knex.MigrationSource<string>;

/** Returns the names of migrations of this version that the database lacks. Those of a later version do no harm. */
export async function missingMigrations(client: pg.Client): Promise<string[]> {
  const source = migrationsIn(FOLDER);
  const names = (await source.getMigrations([])).map((file) => source.getMigrationName(file));
  if (!(await hasBookkeeping(client))) return names;
  const applied = await rowsOf(client, { name: text }, 'select name::text from knex_migrations');
  return names.filter((name) => !applied.some((row) => row.name === name));
}

async function hasBookkeeping(client: pg.Client): Promise<boolean> {
  return (await rowsOf(client, {}, `select where to_regclass('knex_migrations') is not null`)).length > 0;
}

/**
 * Lists migrations by their names without extension. A database therefore has the same names whether the TypeScript
 * sources or the built files migrated it.
 */
function migrationsIn(folder: URL): MigrationSource {
  return {
    async getMigrations() {
      const files = await readdir(folder);
      return files.filter((name) => /^\d{14}_\w+\.(ts|js)$/.test(name)).toSorted();
    },
    getMigrationName: (file) => file.replace(/\.(ts|js)$/, ''),
    getMigration: (file) => import(new URL(file, folder).href) as Promise<Migration>,
  };
}

/**
 * Applies the missing migrations and returns their names. Safe to run twice at once. Each migration has its own
 * transaction, so its locks end with it. Throws an UnreleasedSchemaError, and changes nothing, if the database is older
 * than the first migration.
 */
export async function migrate(databaseUrl: string, folder = FOLDER): Promise<string[]> {
  return withMigrator(databaseUrl, folder, async (knex, migrationSource) => {
    const applied: string[] = [];
    for (;;) {
      const names = await retryLockTimeouts(() => applyNext(knex, migrationSource));
      if (names.length === 0) return applied;
      applied.push(...names);
    }
  });
}

async function applyNext(knex: Knex, migrationSource: MigrationSource): Promise<string[]> {
  const [, names = []] = (await knex.migrate.up({ migrationSource })) as [number?, string[]?];
  return names;
}

/** Limits how long a migration waits for a table, because other users of the table wait behind it. */
const LOCK_TIMEOUT_MS = 2_000;
/** The pause after the first attempt, in which traffic continues. Each further pause is twice as long. */
const FIRST_WAIT_MS = 500;
const MAX_ATTEMPTS = 8;
const LOCK_POLL_MS = 100;

/** Runs work until it gets its locks, at most eight times. The pauses add up to about a minute. */
async function retryLockTimeouts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1, waitMs = FIRST_WAIT_MS; ; attempt += 1, waitMs *= 2) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isLockTimeout(error)) throw error;
      await delay(waitMs);
    }
  }
}

/** Removes the whole schema. For tests of the migrations. */
export async function rollBackAll(databaseUrl: string, folder = FOLDER): Promise<string[]> {
  return withMigrator(databaseUrl, folder, async (knex, migrationSource) => {
    const [, undone] = (await knex.migrate.rollback({ migrationSource }, true)) as [number, string[]];
    return undone;
  });
}

/** Undoes the migration of this name and all later ones. For tests of the migrations. */
export async function rollBackThrough(databaseUrl: string, name: string, folder = FOLDER): Promise<void> {
  await withMigrator(databaseUrl, folder, async (knex, migrationSource) => {
    for (;;) {
      const [, undone = []] = (await knex.migrate.down({ migrationSource })) as [number?, string[]?];
      if (undone.length === 0) throw new Error(`${name} was not applied`);
      if (undone.includes(name)) return;
    }
  });
}

/**
 * Runs work as the only migrator. Others wait for an advisory lock, which Postgres releases when its connection ends.
 * Knex's own lock throws instead of waiting, and stays when a process dies, so a leftover one is removed first. All
 * work uses one connection, so that settings of the session hold for all statements.
 */
async function withMigrator<T>(
  databaseUrl: string,
  folder: URL,
  work: (knex: Knex, migrationSource: MigrationSource) => Promise<T>,
): Promise<T> {
  const migrationSource = migrationsIn(folder);
  const applicationName = 'sluice-migrate';
  const holder = createSession({ url: databaseUrl, applicationName });
  const connection = {
    connectionString: databaseUrl,
    application_name: applicationName,
    lock_timeout: LOCK_TIMEOUT_MS,
    ...KEEP_ALIVE,
  };
  // Without its own log, Knex writes to the console.
  const log = { warn() {}, error() {}, deprecate() {}, debug() {} };
  const knex = knexFactory({ client: 'pg', connection, log, pool: { min: 0, max: 1 } });
  try {
    await holder.connect();
    await requireSupportedPostgres(holder);
    await waitForLock(holder);
    if (await isTooOld(holder, migrationSource)) throw new UnreleasedSchemaError();
    await knex.migrate.forceFreeMigrationsLock({ migrationSource });
    return await work(knex, migrationSource);
  } finally {
    await knex.destroy();
    await holder.end();
  }
}

/** Polls for the lock, because a statement that waits for it would delay an index that is built concurrently. */
async function waitForLock(holder: pg.Client): Promise<void> {
  const question = `select pg_try_advisory_lock(hashtext('sluice_migrate')) mine`;
  while ((await rowsOf(holder, { mine: bool }, question))[0]?.mine !== true) await delay(LOCK_POLL_MS);
}

/** Returns whether the database has a migration that is older than the oldest one in the source. */
async function isTooOld(client: pg.Client, source: MigrationSource): Promise<boolean> {
  const [first] = await source.getMigrations([]);
  if (first === undefined || !(await hasBookkeeping(client))) return false;
  const older = 'select from knex_migrations where name collate "C" < :first limit 1';
  return (await rowsOf(client, {}, older, { first: source.getMigrationName(first) })).length > 0;
}
