import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BillFlag } from '../../../domain/ledger/bill.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { type BilledEnding, createFlaggedBills } from '../../../services/live/flagged-bills.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';

let database: TestDatabase;
let pool: Database;
const logged: { level: string; facts: object }[] = [];
const counted: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createDatabase({ url: database.url, poolMax: 1 });
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});
beforeEach(() => {
  logged.length = 0;
  counted.length = 0;
});

function note(endpointId: string, ending: Partial<BilledEnding>): void {
  const log = (level: string) => (facts: object) => logged.push({ level, facts });
  const logger = { info: log('info'), warn: log('warn'), error: log('error') } as never;
  const metrics = {
    counter: () => (labels: { reason: string }) => () => counted.push(labels.reason),
  } as unknown as Metrics;
  const usual = {
    status: 'completed',
    costNanos: 7n,
    serviceTier: null,
    target: { endpoint: { id: endpointId } },
  };
  createFlaggedBills({ knex: pool.knex, logger, metrics })({ id: 'gen-1' }, {
    ...usual,
    ...ending,
  } as BilledEnding);
}

const levels = (): string[] => logged.map(({ level }) => level);
const bill = (...flags: BillFlag[]): BilledEnding['bill'] =>
  ({ flags: flags.length === 0 ? undefined : flags }) as BilledEnding['bill'];

describe('createFlaggedBills', () => {
  test('leaves a bill without a flag alone', () => {
    note('a@b', { bill: bill() });
    note('a@b', {});
    expect([logged, counted]).toEqual([[], []]);
  });

  test('counts and logs a served tier without a price, as an error once a day', async () => {
    const ending = { bill: bill('unpriced_tier'), serviceTier: 'scale' };
    note('tier@b', ending);
    await eventually('the alert', async () => levels().includes('error') || undefined);
    note('tier@b', ending);
    expect(counted).toEqual(['unpriced_tier', 'unpriced_tier']);
    expect(levels()).toEqual(['info', 'error', 'info']);
    expect(logged[0]!.facts).toMatchObject({
      endpointId: 'tier@b',
      generationId: 'gen-1',
      reasons: ['unpriced_tier'],
      tier: 'scale',
      costNanos: '7',
    });
  });

  test('counts and logs a missing count, without an error', () => {
    note('uncounted@b', { bill: bill('estimated') });
    expect([levels(), counted]).toEqual([['info'], ['estimated']]);
  });

  test.each(['cancelled', 'failed'] as const)(
    'counts no estimate of an answer that ended as %s',
    (status) => {
      note('left@b', { bill: bill('estimated'), status });
      expect([logged, counted]).toEqual([[], []]);
    },
  );

  test('counts units that were not reported once', () => {
    const unusual = { flag: 'not_reported', reported: undefined, estimate: '1' } as const;
    note('units@b', { bill: bill('estimated'), unusual });
    expect(counted).toEqual(['not_reported']);
  });

  test('names the reported and the estimated units', () => {
    const unusual = { flag: 'above_estimate', reported: '9', estimate: '1' } as const;
    note('far@b', { bill: bill('above_estimate'), unusual });
    expect(counted).toEqual(['above_estimate']);
    expect(logged[0]!.facts).toMatchObject({ reasons: ['above_estimate'], reported: '9', estimate: '1' });
  });
});
