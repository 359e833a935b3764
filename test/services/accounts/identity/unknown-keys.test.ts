import { beforeEach, describe, expect, test } from '@jest/globals';
import { createMetrics } from '../../../../platform/create-metrics.ts';
import { NO_METRICS, type ProcessMetrics } from '../../../../platform/metrics.ts';
import {
  createUnknownKeys,
  type UnknownKeys,
  type UnknownKeysOptions,
} from '../../../../services/accounts/identity/unknown-keys.ts';
import { createWrongKeys, type WrongKeys } from '../../../../services/accounts/identity/wrong-keys.ts';
import { readScrape } from '../../../support/scrape.ts';

const [A, B, C] = ['203.0.113.1', '203.0.113.2', '203.0.113.3'] as const;

let nowMs: number;
let metrics: ProcessMetrics;
let wrongKeys: WrongKeys;
let keys: UnknownKeys;
/** The addresses whose look-ups have begun, in order. */
let begun: string[];
let warnings: object[];

beforeEach(() => {
  nowMs = 1_000_000;
  metrics = createMetrics(0);
  wrongKeys = createWrongKeys(() => nowMs);
  begun = [];
  warnings = [];
  keys = createKeys();
});

/** Two look-ups at once. They are the test's own, so there is no database. */
function createKeys(options: Partial<UnknownKeysOptions> = {}): UnknownKeys {
  const logger = { warn: (facts: object) => void warnings.push(facts) };
  const own = { reads: undefined as never, maxConcurrent: 2, wrongKeys, metrics, logger };
  return createUnknownKeys({ ...own, ...options });
}

/** Begins a look-up that ends when the test says so. */
function hold(address: string) {
  const { promise, resolve } = Promise.withResolvers<object | null>();
  const answer = keys.lookUp(address, () => {
    begun.push(address);
    return promise;
  });
  answer.catch(() => {});
  return { answer, find: () => resolve({}), miss: () => resolve(null) };
}

const miss = (address: string) => keys.lookUp(address, async () => null);
const find = (address: string) => keys.lookUp(address, async () => ({}));

async function missTimes(address: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await miss(address);
}

/** Lets everything run that waits for no timer. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('look-ups of unknown keys', () => {
  test('run two at once and queue the rest', async () => {
    const held = [hold(A), hold(A), hold(A), hold(A)];
    await settled();
    expect(begun).toHaveLength(2);
    held[0]!.find();
    await held[0]!.answer;
    await settled();
    expect(begun).toHaveLength(3);
  });

  test('take turns by address, so that a flood of one does not delay another', async () => {
    const held = [A, A, A, A, A, B, C].map(hold);
    for (const { find: end } of held) {
      await settled();
      end();
    }
    await settled();
    expect(begun).toEqual([A, A, A, B, C, A, A]);
  });

  test('return the row or null, and reject with the error of the read', async () => {
    expect(await find(A)).toEqual({});
    expect(await miss(A)).toBeNull();
    const failure = new Error('Postgres is away');
    await expect(keys.lookUp(A, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await find(A)).toEqual({});
  });

  test('fail with too_many_unknown_keys when their wait in the queue runs out', async () => {
    keys = createKeys({ waitMs: 1, metrics: NO_METRICS });
    const held = [hold(A), hold(A), hold(B)];
    await expect(held[2]!.answer).rejects.toMatchObject({
      code: 'unavailable',
      options: { reason: 'too_many_unknown_keys', retryAfterSeconds: 5 },
    });
    for (const { find: end } of held) end();
    await settled();
    expect(begun).toEqual([A, A]);
    expect(await find(B)).toEqual({});
  });

  test('fail at once with "unavailable" when 1,000 of the same address wait', async () => {
    const held = Array.from({ length: 1_002 }, () => hold(A));
    await expect(hold(A).answer).rejects.toMatchObject({ code: 'unavailable' });
    const other = hold(B);
    for (const { find: end } of [...held, other]) end();
    expect(await other.answer).toEqual({});
    await Promise.all(held.map(({ answer }) => answer));
  });
});

describe('an address that tries wrong keys', () => {
  test('gets 429 after 50 of them, until a minute after the first', async () => {
    await missTimes(A, 1);
    nowMs += 20_000;
    await missTimes(A, 49);
    await expect(hold(A).answer).rejects.toMatchObject({
      code: 'rate_limited',
      options: { reason: 'too_many_wrong_keys', retryAfterSeconds: 40 },
    });
    await expect(find(A)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(begun).toEqual([]);
    expect(warnings).toEqual([{ address: A }]);
    expect(await find(B)).toEqual({});
    nowMs += 40_000;
    expect(await find(A)).toEqual({});
  });

  test('gets 429 for its look-ups in the queue', async () => {
    await missTimes(A, 49);
    const held = [hold(A), hold(B), hold(A), hold(A)];
    held[0]!.miss();
    await expect(held[2]!.answer).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(held[3]!.answer).rejects.toMatchObject({ code: 'rate_limited' });
    expect(begun).toEqual([A, B]);
  });

  test('keeps access after 100 found keys and 49 wrong ones', async () => {
    for (let n = 0; n < 100; n += 1) await find(A);
    await missTimes(A, 49);
    expect(await find(A)).toEqual({});
  });

  test('gets 429 when another process refuses it', async () => {
    wrongKeys.refuse(A, 10_000);
    await expect(find(A)).rejects.toMatchObject({ options: { retryAfterSeconds: 10 } });
    nowMs += 10_000;
    expect(await find(A)).toEqual({});
  });
});

test('metrics show look-ups by outcome, and how many wait', async () => {
  await missTimes(A, 50);
  await find(B);
  await find(A).catch(() => {});
  const held = [hold(B), hold(B), hold(B)];
  const { value } = readScrape(await metrics.text());
  expect(value('sluice_key_lookups_total{outcome="wrong"}')).toBe(50);
  expect(value('sluice_key_lookups_total{outcome="found"}')).toBe(1);
  expect(value('sluice_key_lookups_total{outcome="refused"}')).toBe(1);
  expect(value('sluice_key_lookups_waiting')).toBe(1);
  for (const { find: end } of held) end();
});
