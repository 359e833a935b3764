import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createOutageDetector, type OutageDetector } from '../../../db/postgres/outage-detector.ts';
import { uncheckedRowsOf } from '../../support/knex-bridge.ts';
import { createRateLimitStore, type RateQuery } from '../../../db/rate-limit-store.ts';
import type { Principal } from '../../../domain/principal.ts';
import { createGenerationRate } from '../../../services/rate-limits/generation-rate.ts';
import { createRateLimiter } from '../../../services/rate-limits/rate-limiter.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

const HOUR_MS = 3_600_000;
const PROCESS = fileURLToPath(new URL('take-in-a-process.ts', import.meta.url));

let testDatabase: TestDatabase;
let database: Database;
let scopes = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 8 });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

function limitOf(max: number, window: RateQuery['window'] = { kind: 'sliding', ms: HOUR_MS }): RateQuery {
  scopes += 1;
  return { scope: `test:${scopes}`, max, window };
}

const QUIET = { warn: () => {}, info: () => {} };
const PRESENT: Pick<OutageDetector, 'run'> = { run: (question) => question() };

/** A limiter of one process, with a clock to set, that counts what it asks. */
function setUp() {
  const control = { nowMs: 0, asked: 0, warnings: 0 };
  const store = createRateLimitStore(database.knex);
  const limiter = createRateLimiter({
    store: {
      take(question, requests) {
        control.asked += 1;
        return store.take(question, requests);
      },
    },
    detector: PRESENT,
    logger: { warn: () => (control.warnings += 1) },
    now: () => control.nowMs,
  });
  return { control, limiter };
}

/** Makes every request of the scope so much older. */
async function age({ scope }: RateQuery, ms: number): Promise<void> {
  await database.knex.raw(
    'update rate_limit_windows set hits = array(select hit - ? from unnest(hits) hit) where scope = ?',
    [ms, scope],
  );
}

describe('a rate limit', () => {
  test('allows max requests, reports the rest and refuses until the oldest leaves the window', async () => {
    const { limiter, control } = setUp();
    const question = limitOf(2);
    expect(await limiter.take(question)).toMatchObject({ isAllowed: true, limit: 2, remaining: 1 });
    await age(question, 1_000_000);
    expect(await limiter.take(question)).toMatchObject({ isAllowed: true, limit: 2, remaining: 0 });
    const refusal = await limiter.take(question);
    expect(refusal).toMatchObject({ isAllowed: false, limit: 2, remaining: 0 });
    const { resetMs } = refusal!;
    expect(resetMs).toBeGreaterThan(HOUR_MS - 1_060_000);
    expect(resetMs).toBeLessThanOrEqual(HOUR_MS - 1_000_000);
    // One place is free again, and no more.
    await age(question, HOUR_MS - 1_000_000);
    control.nowMs += resetMs;
    expect(await limiter.take(question)).toMatchObject({ isAllowed: true, remaining: 0 });
    expect(await limiter.take(question)).toMatchObject({ isAllowed: false });
  });

  test('does not count the requests that it refused', async () => {
    const question = limitOf(3);
    const { take } = createRateLimitStore(database.knex);
    for (let n = 0; n < 10; n += 1) await take(question, 1);
    const { rows } = await database.knex.raw(
      'select cardinality(hits) n from rate_limit_windows where scope = ?',
      [question.scope],
    );
    expect(rows).toEqual([{ n: 3 }]);
  });

  test('allows exactly its number when many connections ask at once', async () => {
    const question = limitOf(30);
    const store = createRateLimitStore(database.knex);
    const answers = await Promise.all(Array.from({ length: 200 }, () => store.take(question, 1)));
    expect(answers.filter(({ granted }) => granted === 1)).toHaveLength(30);
    const { rows } = await database.knex.raw('select hits from rate_limit_windows where scope = ?', [
      question.scope,
    ]);
    const [{ hits }] = rows as { hits: string[] }[] as [{ hits: string[] }];
    const times = hits.map(Number);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('allows exactly its number when several processes ask at once', async () => {
    const question = limitOf(50);
    const run = promisify(execFile);
    const counts = await Promise.all(
      [1, 2, 3].map(async () => {
        const args = ['--no-warnings', PROCESS, testDatabase.url, question.scope, '50', '100'];
        return Number((await run(process.execPath, args)).stdout);
      }),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50);
  });

  test('counts until midnight when it is for a UTC day', async () => {
    const { limiter } = setUp();
    const question = limitOf(1, { kind: 'utc_day' });
    const first = await limiter.take(question);
    expect(first).toMatchObject({ isAllowed: true, remaining: 0 });
    expect(first!.resetMs).toBeLessThanOrEqual(24 * HOUR_MS);
    expect(await limiter.take(question)).toMatchObject({ isAllowed: false });
    await age(question, 24 * HOUR_MS);
    expect(await setUp().limiter.take(question)).toMatchObject({ isAllowed: true });
  });

  test('counts each scope separately', async () => {
    const { limiter } = setUp();
    expect(await limiter.take(limitOf(1))).toMatchObject({ isAllowed: true });
    expect(await limiter.take(limitOf(1))).toMatchObject({ isAllowed: true });
  });

  test('reports when the next request is allowed after max was lowered', async () => {
    const { limiter, control } = setUp();
    const question = limitOf(2);
    await limiter.take(question);
    await age(question, 1_000_000);
    await limiter.take(question);
    const refusal = await limiter.take({ ...question, max: 1 });
    expect(refusal).toMatchObject({ isAllowed: false, limit: 1, remaining: 0 });
    expect(refusal!.resetMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect(control.asked).toBe(3);
  });
});

describe('a caller who repeats refused requests', () => {
  test('costs Postgres one query until the next request would be allowed', async () => {
    const { limiter, control } = setUp();
    const question = limitOf(1);
    await limiter.take(question);
    const { resetMs } = (await limiter.take(question))!;
    control.nowMs += 1_000;
    expect(await limiter.take(question)).toEqual({
      isAllowed: false,
      limit: 1,
      remaining: 0,
      resetMs: resetMs - 1_000,
    });
    expect(control.asked).toBe(2);
    // A limit that was raised meanwhile is another question.
    expect(await limiter.take({ ...question, max: 2 })).toMatchObject({ isAllowed: true });
  });
});

describe('concurrent requests of one key over one connection', () => {
  test('pass up to the limit with three statements at most and a remaining count each', async () => {
    const narrow = createDatabase({ url: testDatabase.url, poolMax: 1 });
    const store = createRateLimitStore(narrow.knex);
    let asked = 0;
    const limiter = createRateLimiter({
      store: {
        take(question, requests) {
          asked += 1;
          return store.take(question, requests);
        },
      },
      detector: PRESENT,
      logger: { warn: () => {} },
    });
    const question = limitOf(50);
    const verdicts = await Promise.all(Array.from({ length: 200 }, () => limiter.take(question)));
    const allowed = verdicts.filter((verdict) => verdict!.isAllowed);
    expect(allowed.map((verdict) => verdict!.remaining)).toEqual(
      Array.from({ length: 50 }, (_, n) => 49 - n),
    );
    expect(verdicts.slice(50).every((verdict) => verdict!.remaining === 0 && verdict!.resetMs > 0)).toBe(
      true,
    );
    expect(asked).toBeLessThanOrEqual(3);
    await narrow.close();
  });

  test('stay limited while Postgres is slow', async () => {
    const narrow = createDatabase({ url: testDatabase.url, poolMax: 1 });
    const detector = createOutageDetector({ url: testDatabase.url, logger: QUIET });
    const limiter = createRateLimiter({
      store: createRateLimitStore(narrow.knex),
      detector,
      logger: { warn: () => {} },
    });
    const question = limitOf(2);
    // The one connection is busy for longer than it takes to notice a Postgres that is gone.
    const busy = uncheckedRowsOf(narrow.knex, 'select pg_sleep(3)', []);
    const verdicts = await Promise.all([1, 2, 3].map(() => limiter.take(question)));
    expect(verdicts.map((verdict) => verdict?.isAllowed)).toEqual([true, true, false]);
    await busy;
    await narrow.close();
    await detector.close();
  });
});

describe('a rate limit during an outage of Postgres', () => {
  test.each(['refusal', 'silence'] as const)(
    'lets requests pass on %s, logs one warning and applies again after it',
    async (outage) => {
      const proxy = await startTcpProxy(testDatabase.url);
      const url = proxy.through(testDatabase.url);
      const through = createDatabase({ url, poolMax: 4 });
      const detector = createOutageDetector({ url, logger: QUIET });
      let warnings = 0;
      const limiter = createRateLimiter({
        store: createRateLimitStore(through.knex),
        detector,
        logger: { warn: () => (warnings += 1) },
      });
      const question = limitOf(1);
      expect(await limiter.take(question)).toMatchObject({ isAllowed: true });
      proxy.cut(outage);
      const passed = await Promise.all(Array.from({ length: 20 }, () => limiter.take(question)));
      expect(new Set(passed)).toEqual(new Set([undefined]));
      expect(await limiter.take(limitOf(1))).toBeUndefined();
      expect(warnings).toBe(1);
      await proxy.restore();
      await eventually(
        'a refusal',
        async () => (await limiter.take(question))?.isAllowed === false || undefined,
      );
      await through.close();
      await detector.close();
      await proxy.close();
    },
  );

  test('throws errors other than outages', async () => {
    const limiter = createRateLimiter({
      store: { take: () => Promise.reject(new Error('syntax error')) },
      detector: PRESENT,
      logger: { warn: () => {} },
    });
    await expect(limiter.take(limitOf(1))).rejects.toThrow('syntax error');
  });
});

test('only scopes without a request for two days are deleted', async () => {
  const store = createRateLimitStore(database.knex);
  const [idle, recent] = [limitOf(3), limitOf(3)];
  await Promise.all([store.take(idle, 1), store.take(recent, 1)]);
  await database.knex.raw('update rate_limit_windows set asked_at = asked_at - ? where scope = ?', [
    49 * HOUR_MS,
    idle.scope,
  ]);
  expect(await store.deleteIdle(100)).toBe(1);
  expect((await store.take(recent, 1)).used).toBe(2);
  expect((await store.take(idle, 1)).used).toBe(1);
});

describe('the rate of generation requests', () => {
  const key: Principal = {
    keyId: 1,
    keyHash: '',
    kind: 'regular',
    label: '',
    organizationId: '',
    workspaceId: '',
  };

  test('asks nothing and returns no promise when no rate is configured', () => {
    const { limiter, control } = setUp();
    const rate = createGenerationRate({ limiter, requests: undefined, intervalMs: 10_000 });
    expect(rate.take(key)).toBeUndefined();
    expect(rate.limitOf(key)).toBeUndefined();
    expect(control.asked).toBe(0);
  });

  test("follows the key's own limit before the deployment's", async () => {
    const { limiter } = setUp();
    const rate = createGenerationRate({ limiter, requests: 5, intervalMs: 10_000 });
    expect(rate.limitOf(key)).toEqual({ requests: 5, intervalMs: 10_000 });
    expect(await rate.take({ ...key, rateLimitRequests: 7 })).toMatchObject({ limit: 7, remaining: 6 });
  });
});
