import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Connection } from '@temporalio/client';
import pg from 'pg';
import packageJson from '../../package.json' with { type: 'json' };
import { requireSupportedPostgres } from '../../db/postgres/postgres-version.ts';
import { ROOT } from '../../dev/settings.ts';
import { requireSupportedTemporal } from '../../platform/temporal.ts';
import { compiledCode } from '../support/compiled-code.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

interface Ran {
  code: number;
  lines: string[];
}

/** Runs Node with these arguments and no other environment. Returns all lines that it prints. */
function run(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: { ...compiledCode, ...env } };
    execFile(process.execPath, ['--no-warnings', ...args], options, (error, stdout, stderr) => {
      const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
      resolve({ code: error === null ? 0 : Number(error.code), lines });
    });
  });
}

describe('an older Node', () => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`;

  test.each([
    ['commands of production', `require('./dev/require-node.cjs')`],
    ['built processes', `import('./platform/require-node.ts')`],
  ])('makes %s exit 1 with one line that names the needed version', async (_, load) => {
    const { code, lines } = await run(['-e', `${pretend} ${load}`]);
    const needed = Number.parseInt(packageJson.engines.node, 10);
    expect([code, lines]).toEqual([
      1,
      [expect.stringMatching(new RegExp(`^Sluice needs Node ${needed} or later; this is v`))],
    ]);
  });

  test.each(['api', 'worker', 'admin', 'upstream'])('stops %s at its first import', async (folder) => {
    const source = await readFile(path.join(ROOT, folder, 'main.ts'), 'utf8');
    const [first] = /^import .*$/m.exec(source) ?? [];
    expect(first).toMatch(/^import '(\.\.\/)+platform\/require-node\.ts';$/);
  });

  test.each(['build', 'api', 'worker', 'migrate', 'admin', 'docs'] as const)(
    'stops npm run %s before its sources run',
    (script) =>
      expect(packageJson.scripts[script]).toMatch(
        /^node dev\/require-node\.cjs && (?:exec )?node |^node dev\/require-node\.cjs && tsc /,
      ),
  );
});

describe('a database without migrations', () => {
  let database: TestDatabase;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('drop schema public cascade; create schema public');
    await client.end();
    env = {
      SLUICE_ENV: 'test',
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      OBJECT_STORE: 'file:///tmp',
      ENCRYPTION_KEYS: `a:${randomBytes(32).toString('base64')}`,
      PORT: '8080',
    };
  });
  afterAll(() => database.drop());

  test.each<[name: string, args: string[], more: Record<string, string>]>([
    ['the API', ['api/main.ts'], {}],
    ['an API of several processes', ['api/main.ts'], { API_PROCESSES: '2' }],
    ['the worker', ['worker/main.ts'], {}],
    ['an admin command', ['admin/main.ts', 'keys', 'list'], {}],
    ['npm run seed', ['dev/seed.ts', '--generations', '10'], {}],
  ])('ends %s with one line that says to run npm run migrate', async (_, args, more) => {
    const { code, lines } = await run(args, { ...env, ...more });
    expect([code, lines]).toEqual([1, [expect.stringContaining('First: npm run migrate')]]);
  });
});

test('the API prints one line when Postgres cannot be reached', async () => {
  const { code, lines } = await run(['api/main.ts'], {
    SLUICE_ENV: 'test',
    DATABASE_URL: 'postgres://sluice@127.0.0.1:1/sluice',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    OBJECT_STORE: 'file:///tmp',
    ENCRYPTION_KEYS: `a:${randomBytes(32).toString('base64')}`,
  });
  expect([code, lines]).toEqual([
    1,
    [expect.stringContaining('Postgres cannot be reached: connect ECONNREFUSED 127.0.0.1:1')],
  ]);
});

describe('a wrong database name', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test.each([
    ['the API', ['api/main.ts']],
    ['an admin command', ['admin/main.ts', 'keys', 'list']],
  ])('ends %s with one line that names DATABASE_URL', async (_, args) => {
    const wrong = new URL(database.url);
    wrong.pathname = '/nonesuch';
    const { code, lines } = await run(args, {
      SLUICE_ENV: 'test',
      DATABASE_URL: wrong.href,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      OBJECT_STORE: 'file:///tmp',
      ENCRYPTION_KEYS: `a:${randomBytes(32).toString('base64')}`,
    });
    // In the log of the API, quotes are escaped.
    const refused = /Postgres refuses DATABASE_URL: database \\?"nonesuch\\?" does not exist/;
    expect([code, lines]).toEqual([1, [expect.stringMatching(refused)]]);
  });
});

describe('the version check', () => {
  const fields = [
    { name: 'number', dataTypeID: 23 },
    { name: 'version', dataTypeID: 25 },
  ];
  const postgres = (number: number, version: string) =>
    requireSupportedPostgres({
      query: async () => ({ rows: [{ number, version }], fields }),
    } as unknown as pg.Client);
  const temporal = (serverVersion: string) =>
    requireSupportedTemporal({
      workflowService: { getSystemInfo: async () => ({ serverVersion }) },
    } as unknown as Connection);

  test('requires Postgres 15 or later', async () => {
    await postgres(150_018, '15.18');
    await postgres(180_004, '18.4');
    await expect(postgres(140_013, '14.13')).rejects.toThrow(
      /^Sluice needs Postgres 15 or later; this server is 14\.13$/,
    );
  });

  test('requires Temporal 1.29 or later, and accepts a server that names no version', async () => {
    for (const version of ['1.29.1', '1.31.2', 'v1.30.0-152.6', '2.0.0', '']) await temporal(version);
    await expect(temporal('1.28.3')).rejects.toThrow(
      /^Sluice needs Temporal 1\.29 or later; this server is 1\.28\.3$/,
    );
  });
});
