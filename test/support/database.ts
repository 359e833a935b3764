import { createHash, randomBytes } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { runMigrate } from '../../admin/run-migrate.ts';
import { migrate } from '../../db/migrate.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';

export interface TestDatabase {
  url: string;
  /** Cuts its connections and deletes it. */
  drop(): Promise<void>;
}

/** Of the server that all suites of a process share. */
const knownTemplates = new Set<string>();
let contentHash: Promise<string> | undefined;

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/**
 * An empty database with the newest schema, for one suite. It is copied from a template, which the first
 * caller makes; the template's name holds a hash of migrations and catalog, so a server that lives on gets a new one
 * when they change.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createFrom(await ensureTemplate('schema', migrate));
}

/** One as `npm run migrate` leaves it: with the models that are shipped. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return createFrom(await ensureTemplate('catalog', runMigrate));
}

/** A database without any schema. */
export function createBareDatabase(): Promise<TestDatabase> {
  return createFrom('template0');
}

async function createFrom(template: string): Promise<TestDatabase> {
  const name = `sluice_test_${randomBytes(8).toString('hex')}`;
  // Copying files costs half of what writing them to the log does.
  await asAdmin((client) => client.query(`create database ${name} template ${template} strategy file_copy`));
  return {
    url: databaseUrl(name),
    drop: () =>
      asAdmin(async (client) => {
        await connectionsEnded(client, name);
        await client.query(`drop database ${name} with (force)`);
      }),
  };
}

/** The time that connections have to end by themselves. */
const END_POLLS = 40;
const END_POLL_MS = 5;

/**
 * Waits for connections that are about to end: a pool that has ended has only asked the server to close them. Cut off
 * in that moment, they would report an error to whatever test runs next.
 */
async function connectionsEnded(client: pg.Client, name: string): Promise<void> {
  for (let polls = 0; polls < END_POLLS; polls += 1) {
    const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [name]);
    if (rowCount === 0) return;
    await delay(END_POLL_MS);
  }
}

/** The URL of a database on the server of the tests; without a name, of one to administer it from. */
function databaseUrl(name = 'postgres'): string {
  const text = process.env['SLUICE_TEST_POSTGRES_URL'];
  if (!text) {
    throw new Error(
      'Run this with npm test -- FILE, or set SLUICE_TEST_POSTGRES_URL to a superuser of a Postgres.',
    );
  }
  const url = new URL(text);
  url.pathname = `/${name}`;
  return url.href;
}

async function asAdmin(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl() });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Makes the template once for all Jest workers, which come here at the same time; returns its name. */
async function ensureTemplate(kind: string, fill: (url: string) => Promise<unknown>): Promise<string> {
  const template = `sluice_${kind}_${await (contentHash ??= hashOfContent())}`;
  if (knownTemplates.has(template)) return template;
  await asAdmin(async (client) => {
    await client.query(`select pg_advisory_lock(hashtext('sluice_test_template'))`);
    const found = await client.query('select from pg_database where datname = $1', [template]);
    if (found.rowCount === 1) return;
    // Under another name until it is whole: a run may be stopped in between.
    const half = `${template}_half`;
    await client.query(`drop database if exists ${half} with (force)`);
    await client.query(`create database ${half}`);
    await fill(databaseUrl(half));
    await client.query(`alter database ${half} rename to ${template}`);
  });
  knownTemplates.add(template);
  return template;
}

/** Of all that the templates are made from. */
async function hashOfContent(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of (await readdir(MIGRATIONS)).toSorted()) {
    hash.update(file).update(await readFile(new URL(file, MIGRATIONS)));
  }
  hash.update(JSON.stringify(bundledCatalogs()));
  return hash.digest('hex').slice(0, 16);
}
