import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Ceiling } from '../../../../domain/ceiling.ts';
import type { Estimate, Reservation } from '../../../../services/ledger/spending/spending.ts';
import { settled } from './simulated-counters.ts';
import { byok, CREDIT, KEY, keyUnder, paid, REFUSED, setUp, type SingleSpending } from './spending-setup.ts';

const BUSY = { code: 'rate_limited', options: { reason: 'limit_busy', retryAfterSeconds: 1 } };

/** A request that is estimated at `usage` and may cost `most`. */
const upTo = (usage: bigint, most: bigint): Estimate => ({ usage, byok: 0n, most: paid(most) });

/** Reserves, and returns how that went so far. */
function ask(
  spending: SingleSpending,
  estimate: Estimate,
  { keyId = 1, ceilings = [KEY], gone }: AskOptions = {},
) {
  const state: { reservation?: Reservation; error?: unknown } = {};
  void spending.reserve(keyUnder(ceilings, keyId), estimate, gone).then(
    (reservation) => (state.reservation = reservation),
    (error: unknown) => (state.error = error),
  );
  return state;
}

interface AskOptions {
  keyId?: number;
  ceilings?: Ceiling[];
  gone?: AbortSignal;
}

describe('a request near a limit', () => {
  test('starts at once when no other is in flight, even if it may overspend', async () => {
    const { spending, waits } = setUp();
    await spending.reserve(keyUnder([KEY]), upTo(10n, 1_000n));
    expect(waits).toEqual([]);
  });

  test('starts beside others whose greatest costs fit into the money left', async () => {
    const { spending, waits } = setUp();
    for (let n = 0; n < 5; n += 1) await spending.reserve(keyUnder([KEY]), upTo(5n, 20n));
    expect(waits).toEqual([]);
  });

  test('waits while the others may use up the money left, and starts when one ends', async () => {
    const { spending, waits } = setUp();
    const first = await spending.reserve(keyUnder([KEY]), upTo(10n, 60n));
    const second = ask(spending, upTo(10n, 60n));
    await settled();
    expect(second.reservation).toBeUndefined();
    first.settle(paid(10n));
    await settled();
    expect(second.reservation).toBeDefined();
    expect(waits).toEqual(['judged']);
  });

  test('fails at once when its estimate does not fit', async () => {
    const { spending, waits } = setUp();
    await spending.reserve(keyUnder([KEY]), upTo(50n, 90n));
    await expect(spending.reserve(keyUnder([KEY]), upTo(51n, 90n))).rejects.toMatchObject(REFUSED);
    expect(waits).toEqual([]);
  });

  test('fails after its wait when the others left too little', async () => {
    const { spending, waits } = setUp();
    const first = await spending.reserve(keyUnder([KEY]), upTo(10n, 95n));
    const second = ask(spending, upTo(10n, 20n));
    await settled();
    first.settle(paid(95n));
    await settled();
    expect(second.error).toMatchObject(REFUSED);
    expect(waits).toEqual(['judged']);
  });

  test('keeps its place before later requests', async () => {
    const { spending } = setUp();
    const first = await spending.reserve(keyUnder([KEY]), upTo(10n, 60n));
    const large = ask(spending, upTo(10n, 60n));
    const small = ask(spending, upTo(1n, 1n));
    await settled();
    expect(small.reservation).toBeUndefined();
    first.settle(paid(10n));
    await settled();
    expect([large.reservation, small.reservation]).not.toContain(undefined);
  });

  test('does not wait for requests of a payer whose money it does not spend', async () => {
    const { spending } = setUp();
    await spending.reserve(keyUnder([KEY]), upTo(10n, 90n));
    const own = ask(spending, { ...byok(50n), most: byok(500n) });
    await settled();
    expect(own.reservation).toBeDefined();
  });

  test('waits for a second payer when the first one is free again', async () => {
    const { spending, postgres } = setUp();
    postgres.addCredit(100n);
    const ceilings = [KEY, CREDIT];
    const [mine, others] = await Promise.all([
      spending.reserve(keyUnder(ceilings, 1), upTo(5n, 50n)),
      spending.reserve(keyUnder(ceilings, 2), upTo(5n, 45n)),
    ]);
    const third = ask(spending, upTo(10n, 60n), { ceilings });
    await settled();
    mine.settle(paid(5n));
    await settled();
    expect(third.reservation).toBeUndefined();
    others.settle(paid(5n));
    await settled();
    expect(third.reservation).toBeDefined();
  });

  test('leaves the queue when its caller disconnects', async () => {
    const { spending, waits } = setUp();
    const first = await spending.reserve(keyUnder([KEY]), upTo(10n, 60n));
    const leaving = new AbortController();
    const second = ask(spending, upTo(10n, 60n), { gone: leaving.signal });
    const third = ask(spending, upTo(10n, 30n));
    await settled();
    leaving.abort();
    await settled();
    expect(second.error).toMatchObject({ code: 'client_cancelled' });
    // The third is small enough to go beside the first.
    expect(third.reservation).toBeDefined();
    first.settle(paid(10n));
    expect(waits.toSorted()).toEqual(['gone', 'judged']);
  });

  test('reserves both parts of a request without waiting for itself', async () => {
    const { reserveParts } = setUp();
    const ceilings = [{ ...KEY, includeByok: true }];
    const parts = [upTo(10n, 90n), { ...byok(10n), most: byok(90n), isByok: true }];
    expect(await reserveParts(keyUnder(ceilings), parts)).toHaveLength(2);
  });
});

describe('the longest wait for a turn', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('ends after ten seconds with a 429', async () => {
    const { spending, waits } = setUp();
    await spending.reserve(keyUnder([KEY]), upTo(10n, 60n));
    const second = ask(spending, upTo(10n, 60n));
    await settled();
    jest.advanceTimersByTime(9_999);
    await settled();
    expect(second.error).toBeUndefined();
    jest.advanceTimersByTime(1);
    await settled();
    expect(second.error).toMatchObject(BUSY);
    expect(waits).toEqual(['timed_out']);
  });
});

const request = fc.record({
  estimate: fc.bigInt({ min: 1n, max: 30n }),
  error: fc.bigInt({ min: 0n, max: 60n }),
  share: fc.integer({ min: 0, max: 100 }),
});

test('concurrent requests exceed a limit by the error of one request at most', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 2, maxLength: 30 }),
      fc.infiniteStream(fc.nat()),
      async (requests, picks) => {
        const { spending, commit } = setUp();
        const states = requests.map(({ estimate, error }) => ask(spending, upTo(estimate, estimate + error)));
        await settled();
        let spent = 0n;
        let ended = 0;
        while (ended < states.length) {
          const open = states.flatMap(({ reservation }, index) =>
            reservation === undefined ? [] : [{ reservation, index }],
          );
          ended = states.filter(({ error }) => error !== undefined).length;
          if (open.length === 0) break;
          const { reservation, index } = open[picks.next().value % open.length]!;
          const { estimate, error, share } = requests[index]!;
          const cost = estimate + (error * BigInt(share)) / 100n;
          spent += cost;
          commit(paid(cost));
          reservation.settle(paid(cost));
          states[index] = { error: 'ended' };
          await settled();
        }
        const worst = requests.reduce((most, { error }) => (error > most ? error : most), 0n);
        expect(spent).toBeLessThanOrEqual((KEY.limit as bigint) + worst);
        expect(states.every(({ error }) => error !== undefined)).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});
