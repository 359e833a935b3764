import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { isPostgresDown, isOutage } from '../../../db/postgres/outage.ts';
import { createOutageDetector, type OutageDetector } from '../../../db/postgres/outage-detector.ts';
import { uncheckedRowsOf } from '../../support/knex-bridge.ts';
import { createNoticedCache } from '../../../platform/noticed-cache.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

let testDatabase: TestDatabase;
let proxy: TcpProxy;
let database: Database;
let detector: OutageDetector;
let told: string[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

beforeEach(async () => {
  told = [];
  proxy = await startTcpProxy(testDatabase.url);
  const url = proxy.through(testDatabase.url);
  // As the API is set up: what is not answered is given up after twelve seconds.
  database = createDatabase({ url, poolMax: 2, statementTimeoutMs: 10_000 });
  const tell = (_facts: unknown, message?: string): number => told.push(message ?? String(_facts));
  detector = createOutageDetector({ url, logger: { warn: tell, info: tell } });
});
afterEach(async () => {
  await proxy.restore();
  await detector.close();
  await database.close();
  await proxy.close();
});

const now = (): Promise<string> =>
  uncheckedRowsOf<{ now: string }>(database.knex, 'select now()::text now', []).then(([row]) => row!.now);

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'none',
    (error: unknown) => error,
  );
}

describe('a query behind the outage detector', () => {
  test('completes after three seconds when Postgres answers', async () => {
    const slow = (): Promise<unknown[]> => uncheckedRowsOf(database.knex, 'select pg_sleep(3)', []);
    expect(await detector.run(slow)).toHaveLength(1);
    expect(told).toEqual([]);
  });

  test('fails with its own error and reports no outage', async () => {
    await expect(detector.run(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
    const timeout = Object.assign(new Error('too slow'), { code: '57014' });
    await expect(detector.run(() => Promise.reject(timeout))).rejects.toBe(timeout);
    expect(told).toEqual([]);
  });

  test.each(['refusal', 'silence'] as const)(
    'fails for all callers in an outage by %s, and succeeds after recovery',
    async (outage) => {
      await detector.run(now);
      proxy.cut(outage);
      const raw = failureOf(now());
      // Settled before the statement is given up, which takes four times as long.
      const first = await Promise.race([
        Promise.all(Array.from({ length: 10 }, () => failureOf(detector.run(now)))),
        ...(outage === 'silence' ? [raw] : []),
      ]);
      expect(first).toHaveLength(10);
      expect((first as unknown[]).every((error) => isPostgresDown(error) && isOutage(error))).toBe(true);
      let asked = 0;
      const counted = (): Promise<string> => {
        asked += 1;
        return now();
      };
      expect(isPostgresDown(await failureOf(detector.run(counted)))).toBe(true);
      expect(asked).toBe(0);
      await proxy.restore();
      await eventually('an answer', () => detector.run(now).catch(() => undefined));
      expect(told).toEqual(['Postgres cannot be reached', 'Postgres is reached again']);
      await raw;
    },
  );
});

describe('a failed probe', () => {
  test('reports no outage when this process was blocked meanwhile', async () => {
    await detector.run(now);
    proxy.cut('silence');
    const before = proxy.open();
    const slow = detector.run(now);
    await eventually('the look beside it', async () => (proxy.open() > before ? true : undefined));
    await proxy.restore();
    const untilMs = Date.now() + 5_000;
    while (Date.now() < untilMs);
    expect(await slow).toMatch(/^20/);
    expect(told).toEqual([]);
  });

  test('reports no outage when other queries were answered', async () => {
    const direct = createDatabase({ url: testDatabase.url, poolMax: 2 });
    const ask = (sql: string): Promise<unknown> => detector.run(() => uncheckedRowsOf(direct.knex, sql, []));
    proxy.cut('silence');
    const { promise, resolve } = Promise.withResolvers<string>();
    const slow = detector.run(() => promise);
    // The proxy holds the first, which was over and had failed before the second began.
    while (proxy.open() < 2) {
      await ask('select');
      await delay(100);
    }
    resolve('an answer');
    expect(await slow).toBe('an answer');
    expect(told).toEqual([]);
    await direct.close();
  });

  test('starts an outage that an answer to an earlier query ends', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    proxy.cut('silence');
    const first = failureOf(detector.run(() => promise));
    // Whoever has asked for less than half a second by then is not given up with it.
    const late: Promise<unknown>[] = [];
    while (told.length === 0) {
      late.push(failureOf(detector.run(() => promise)));
      await delay(50);
    }
    // The first is still held by the proxy, which lets nothing through.
    await eventually('the next look', async () => (proxy.open() > 1 ? true : undefined));
    resolve('an answer');
    await eventually('an answer to somebody new', () => detector.run(() => promise).catch(() => undefined));
    expect(isPostgresDown(await first)).toBe(true);
    expect(told).toEqual(['Postgres cannot be reached', 'Postgres is reached again']);
    await Promise.all(late);
  });
});

test('a probe that began before the recovery reports no second outage', async () => {
  await detector.run(now);
  proxy.cut('silence');
  const raw = failureOf(now());
  expect(isPostgresDown(await failureOf(detector.run(now)))).toBe(true);
  const before = proxy.open();
  await eventually('the next look', async () => (proxy.open() > before ? true : undefined));
  proxy.restoreForNew();
  detector.noteRecovery();
  const answers = await Promise.all(Array.from({ length: 10 }, () => detector.run(async () => 'an answer')));
  expect(answers).toHaveLength(10);
  // The look that began before has failed by then, and says nothing any more.
  await delay(4_000);
  expect(await detector.run(async () => 'an answer')).toBe('an answer');
  expect(told).toEqual(['Postgres cannot be reached', 'Postgres is reached again']);
  await proxy.restore();
  await raw;
});

test('the cache answers all known names at once in an outage by silence', async () => {
  const cache = createNoticedCache<{ at: string }>({
    read: () => detector.run(async () => ({ at: await now() })),
    notices: { isConnected: () => false, heardUntilMs: () => -Infinity },
    isDown: isPostgresDown,
    maxEntries: 100,
    now: () => clockMs,
  });
  let clockMs = 0;
  const names = Array.from({ length: 30 }, (_, n) => `key-${n}`);
  const known = await Promise.all(names.map((name) => cache.get(name)));
  clockMs = 2_000;
  proxy.cut('silence');
  const raw = failureOf(now());
  const found = await Promise.race([Promise.all(names.map((name) => cache.get(name))), raw]);
  expect(found).toEqual(known);
  await proxy.restore();
  await raw;
});
