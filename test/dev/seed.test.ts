import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { bootstrap } from '../../admin/bootstrap.ts';
import { runVerifyLedger } from '../../admin/verify-ledger.ts';
import { createDatabase } from '../support/open-database.ts';
import { readSeedOptions } from '../../dev/seed/options.ts';
import { spreadOverHours } from '../../dev/seed/rhythm.ts';
import { type SeedTarget, seedHistory } from '../../dev/seed/seed-history.ts';
import { writeHistory } from '../../dev/seed/write-history.ts';
import { LAPTOP_ENCRYPTION_KEYS, parseEncryptionKeys } from '../../platform/encryption-keys.ts';
import { newUuid } from '../../domain/ids.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { makeGeneration } from '../support/make-generation.ts';

const DAY_MS = 86_400_000;
const UNTIL_MS = Date.parse('2026-03-10T06:00:00Z');

let testDatabase: TestDatabase;
let database: pg.Pool;
beforeEach(async () => {
  testDatabase = await createMigratedDatabase();
  database = new pg.Pool({ connectionString: testDatabase.url, max: 2 });
  database.on('error', () => {});
});
afterEach(async () => {
  await database.end();
  await testDatabase.drop();
});

async function setUp({ creditEnforcement = false } = {}): Promise<void> {
  const encryption = parseEncryptionKeys(LAPTOP_ENCRYPTION_KEYS);
  const account = { organizationName: 'Test', email: 'owner@example.com', entitlements: [] };
  await bootstrap(testDatabase.url, encryption, { ...account, creditEnforcement });
}

async function seed(change: Partial<SeedTarget> = {}, args: string[] = []): Promise<string> {
  const said: string[] = [];
  const given = ['--generations', '12000', '--days', '3', '--until', '2026-03-10T06:30:00Z', ...args];
  await seedHistory(readSeedOptions(given, UNTIL_MS + 30 * DAY_MS), {
    databaseUrl: testDatabase.url,
    environment: 'test',
    output: { isTTY: false, write: (text: string) => said.push(text) > 0 },
    stopping: new AbortController().signal,
    ...change,
  });
  return said.join('');
}

async function verify(): Promise<string> {
  const { knex, close } = createDatabase({ url: testDatabase.url, poolMax: 1 });
  return (await runVerifyLedger(knex).finally(close)).verdict;
}

/** All that does not depend on what this database calls its keys. */
async function digest(): Promise<unknown> {
  const { rows } = await database.query(
    `select count(*)::integer n, md5(string_agg(concat_ws('|', id, settled_at at time zone 'UTC', model, cost_nanos, tokens_prompt,
       status, external_user), ',' order by id)) md5 from generations`,
  );
  return rows[0];
}

describe('synthetic history', () => {
  test('leaves a ledger that agrees, marks its apps as synthetic and fills rankings', async () => {
    await setUp();
    expect(await seed()).toMatch(/12,000 generations in /);
    expect(await verify()).toBe('agrees');
    const { rows } = await database.query(
      `select count(*)::integer n, count(*) filter (where a.origin like '%.synthetic.example')::integer synthetic,
         count(distinct workspace_id)::integer workspaces, count(distinct key_id)::integer keys,
         count(distinct api_type)::integer kinds, count(distinct status)::integer statuses,
         bool_and(settled_at <= '2026-03-10T06:00Z' and g.created_at >= '2026-03-07T06:00Z') inside
       from generations g left join apps a on a.id = g.app_id`,
    );
    expect(rows).toEqual([
      { n: 12_000, synthetic: 12_000, workspaces: 4, keys: 16, kinds: 6, statuses: 3, inside: true },
    ]);
    const ranked = await database.query('select distinct day::text from rankings_models order by 1');
    expect(ranked.rows.map(({ day }) => day)).toEqual([
      '2026-03-07',
      '2026-03-08',
      '2026-03-09',
      '2026-03-10',
    ]);
  });

  test('has the same rows for the same seed, and a second run adds more', async () => {
    await setUp();
    const few = ['--generations', '3000'];
    await seed({}, few);
    const first = await digest();
    await seed({}, few);
    expect(await digest()).toMatchObject({ n: 6_000 });
    expect(await verify()).toBe('agrees');
    await database.query('truncate generations, generation_details, audit_log');
    await seed({}, few);
    expect(await digest()).toEqual(first);
    await database.query('truncate generations, generation_details, audit_log');
    await seed({}, [...few, '--seed', '2']);
    expect(await digest()).not.toEqual(first);
  });

  test('stops between two batches, with a ledger that agrees', async () => {
    const stopping = new AbortController();
    const organizationId = newUuid();
    let made = 0;
    const batches = {
      next() {
        made += 1;
        // The other connection's batch is under way.
        if (made === 4) stopping.abort();
        return { done: false, value: [makeGeneration({ organizationId, keyId: 7 })] };
      },
    };
    let written = 0;
    await writeHistory(batches, {
      databaseUrl: testDatabase.url,
      shard: 3,
      days: [new Date()],
      onWritten: (rows) => void (written += rows),
      stopping: stopping.signal,
    });
    expect([made, written]).toEqual([4, 4]);
    expect(await digest()).toMatchObject({ n: 4 });
    expect(await verify()).toBe('agrees');
  });

  test.each<[string, Partial<SeedTarget>, boolean]>([
    ['SLUICE_ENV is production', { environment: 'production' }, false],
    ['the organization pays with credits', {}, true],
  ])(
    'refuses a target where %s, unless --into-production is given',
    async (reason, target, creditEnforcement) => {
      await setUp({ creditEnforcement });
      await expect(seed(target)).rejects.toThrow(reason);
      expect(await digest()).toMatchObject({ n: 0 });
      await seed(target, ['--into-production', '--generations', '10']);
      expect(await digest()).toMatchObject({ n: 10 });
    },
  );

  test('requires an existing organization', async () => {
    await expect(seed()).rejects.toThrow('There is no organization yet');
    await setUp();
    const unknown = ['--organization', '00000000-0000-4000-8000-000000000000'];
    await expect(seed({}, unknown)).rejects.toThrow('There is no such organization');
  });
});

describe('the rhythm of synthetic history', () => {
  const hours = spreadOverHours(100_000, 28, UNTIL_MS);
  const total = (matches: (at: Date) => boolean): number =>
    hours.reduce((sum, { startMs, generations }) => sum + (matches(new Date(startMs)) ? generations : 0), 0);

  test('spends all generations, more by day than by night and fewer on Sundays', () => {
    expect(hours).toHaveLength(28 * 24);
    expect(total(() => true)).toBe(100_000);
    expect(total((at) => at.getUTCDay() === 3)).toBeGreaterThan(1.5 * total((at) => at.getUTCDay() === 0));
    expect(total((at) => at.getUTCHours() === 15)).toBeGreaterThan(3 * total((at) => at.getUTCHours() === 3));
  });

  test('spends all generations when there are fewer than hours', () => {
    const few = spreadOverHours(7, 90, UNTIL_MS);
    expect(few.reduce((sum, { generations }) => sum + generations, 0)).toBe(7);
  });
});

describe('the arguments of npm run seed', () => {
  test.each([
    [['--generations', '0'], '--generations must be a whole number'],
    [[], '--generations must be a whole number'],
    [['--generations', '1', '--days', 'x'], '--days must be'],
    [['--generations', '1', '--until', '2999-01-01T00:00:00Z'], '--until must be a time that is over'],
    [['--generations', '1', '--until', 'soon'], '--until must be a time that is over'],
    [['--generations', '1', '--organization', 'mine'], '--organization must be a UUID'],
    [['--rows', '1'], 'Usage: npm run seed'],
  ])('fail: %j with %s', (args, message) => {
    expect(() => readSeedOptions(args, UNTIL_MS)).toThrow(message);
  });
});
