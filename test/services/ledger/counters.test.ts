import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { newGenerationId } from '../../../domain/ids.ts';
import { LATENCY_BOUNDS_MS, THROUGHPUT_BOUNDS } from '../../../domain/ledger/histogram.ts';
import type { Ledger } from '../../../services/ledger/ledger.ts';
import { type LedgerScene, openLedgerScene } from '../../support/ledger-scene.ts';
import { makeGeneration } from '../../support/make-generation.ts';
import { summed } from '../../support/summed.ts';

let scene: LedgerScene;
let ledger: Ledger;
beforeAll(async () => {
  scene = await openLedgerScene();
  ledger = await scene.open();
});
afterAll(() => scene.close());

const WORKSPACES = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const ORGANIZATION = '00000000-0000-4000-8000-000000000009';
const count = fc.option(fc.integer({ min: 0, max: 2 ** 31 - 1 }));

/** Around a midnight, a Monday, the end of a month and of a year. */
const EDGES = ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z', '2027-01-01T00:00:00Z'].map((time) =>
  Date.parse(time),
);
const moment = fc
  .tuple(fc.constantFrom(...EDGES), fc.integer({ min: -3_600_001, max: 3_600_001 }))
  .map(([edge, offset]) => edge + offset);

const generation: fc.Arbitrary<GenerationRecord> = fc
  .record({
    settledMs: moment,
    // A row may be settled before it was created, by a clock that was set back by a day.
    ageMs: fc.integer({ min: -90_000_000, max: 90_000_000 }),
    workspaceId: fc.constantFrom(...WORKSPACES),
    model: fc.constantFrom('a/b', 'c/d'),
    apiType: fc.constantFrom('completions', 'video'),
    status: fc.constantFrom('completed', 'failed', 'cancelled', 'expired'),
    costNanos: fc.bigInt({ min: 0n, max: 10n ** 20n }),
    isByok: fc.boolean(),
    usage: fc.option(fc.record({ prompt: fc.nat(), completion: fc.nat() })),
    latencyMs: count,
    generationMs: count,
    mediaCompletion: count,
  })
  .map(({ settledMs, ageMs, ...rest }) =>
    makeGeneration({
      ...(rest as Partial<GenerationRecord>),
      id: newGenerationId(settledMs - ageMs),
      settledAt: new Date(settledMs),
      organizationId: ORGANIZATION,
      keyId: rest.workspaceId === WORKSPACES[0] ? 1 : 2,
    }),
  );

test('counters, hours and days equal the sums of random and repeated records', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(generation, { minLength: 1, maxLength: 60 }),
      fc.nat(),
      async (generations, at) => {
        const repeated = generations.slice(at % generations.length);
        await Promise.all([...generations, ...repeated].map((one) => ledger.record(one)));
        expect(await scene.verify()).toMatch(/The ledger agrees\.$/);
      },
    ),
    { numRuns: 15 },
  );
});

async function bucketsOf(keyId: number, table: string): Promise<Record<string, number>> {
  const { rows } = await scene.database.query<{ bucket: Date; n: number }>(
    `select bucket, sum(request_count)::integer n from ${table} where key_id = $1 group by 1 order by 1`,
    [keyId],
  );
  return Object.fromEntries(rows.map(({ bucket, n }) => [bucket.toISOString(), n]));
}

test('a period begins with its first millisecond in UTC in any timezone of Postgres', async () => {
  await scene.database.query(
    `alter database ${new URL(scene.databaseUrl).pathname.slice(1)} set timezone = 'Asia/Kolkata'`,
  );
  const abroad = await scene.open();
  const monday = Date.parse('2026-03-02T00:00:00Z');
  for (const settledMs of [monday - 1, monday, monday + 3_599_999, monday + 3_600_000]) {
    await abroad.record(makeGeneration({ settledAt: new Date(settledMs), keyId: 50 }));
  }
  await summed(scene.database);
  expect(await bucketsOf(50, 'hourly_usage')).toEqual({
    '2026-03-01T23:00:00.000Z': 1,
    '2026-03-02T00:00:00.000Z': 2,
    '2026-03-02T01:00:00.000Z': 1,
  });
  expect(await bucketsOf(50, 'daily_usage')).toEqual({
    '2026-03-01T00:00:00.000Z': 1,
    '2026-03-02T00:00:00.000Z': 3,
  });
  const { rows } = await scene.database.query(
    'select settled_on::text "day", request_count::integer n from key_usage where key_id = 50 order by 1',
  );
  expect(rows).toEqual([
    { day: '2026-03-01', n: 1 },
    { day: '2026-03-02', n: 3 },
  ]);
});

test('each bucket of a histogram begins at its bound', async () => {
  for (const latencyMs of [0, ...LATENCY_BOUNDS_MS]) {
    await ledger.record(makeGeneration({ latencyMs, generationMs: null, keyId: 60 }));
  }
  for (const completion of [0.5, ...THROUGHPUT_BOUNDS].map((rate) => rate * 10)) {
    await ledger.record(
      makeGeneration({ latencyMs: null, generationMs: 10_000, usage: { prompt: 1, completion }, keyId: 60 }),
    );
  }
  await summed(scene.database);
  const names = [
    ...[0, ...LATENCY_BOUNDS_MS].map((_, n) => `latency_${n}`),
    ...[0, ...THROUGHPUT_BOUNDS].map((_, n) => `throughput_${n}`),
  ];
  const { rows } = await scene.database.query(
    `select ${names.map((name) => `sum(${name})::integer ${name}`).join(', ')} from daily_usage where key_id = 60`,
  );
  expect(rows).toEqual([Object.fromEntries(names.map((name) => [name, 1]))]);
});
