import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pricingAt } from '../../../domain/catalog/dated-prices.ts';
import type { PriceOverride, TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import { type BilledRequest, costOfRequest, type LiveBill } from '../../../domain/ledger/bill.ts';

const NOON = Date.parse('2026-11-28T12:00:00Z');
const MINUTE_MS = 60_000;

/** A request of 1,000 tokens and 100 of an answer, with the change. */
function request(change: Partial<BilledRequest> = {}): BilledRequest {
  const tokens = { prompt: 1_000, completion: 100 };
  return { startMs: NOON, endMs: NOON, inputs: ['text'], outputs: ['text'], tokens, ...change };
}

function costAt(overrides: PriceOverride[], change: Partial<BilledRequest> = {}): number {
  const pricing = { prompt: '0.000002', completion: '0.00001', overrides };
  return Number(costOfRequest(pricing, request(change)).cost.totalNanos);
}

const USUAL = 3_000_000;
const dear = { prompt: '0.000004' };
const DEAR = 5_000_000;

describe('the cost of a request', () => {
  test.each<[string, PriceOverride, Partial<BilledRequest>, number]>([
    ['the length of the prompt', { minPromptTokens: 999, ...dear }, {}, DEAR],
    ['another length that decides', { minPromptTokens: 999, ...dear }, { promptTokens: 999 }, USUAL],
    [
      'the end of a request, where it decides',
      { utcStart: 1201, utcEnd: 1300, utcMoment: 'end', ...dear },
      { endMs: NOON + MINUTE_MS },
      DEAR,
    ],
    ['its start otherwise', { utcStart: 1201, utcEnd: 1300, ...dear }, { endMs: NOON + MINUTE_MS }, USUAL],
    ['what the prompt has', { inputModality: 'audio', ...dear }, { inputs: ['text', 'audio'] }, DEAR],
    ['what the answer has', { outputModality: 'image', ...dear }, { outputs: ['image'] }, DEAR],
  ])('depends on %s', (_, override, change, cost) => {
    expect(costAt([override], change)).toBe(cost);
  });

  test.each<[string | undefined, string | null | undefined, number, boolean]>([
    [undefined, undefined, USUAL, false],
    ['flex', undefined, 2_000_000, false],
    ['flex', null, 2_000_000, false],
    ['flex', 'scale', 2_000_000, true],
    [undefined, 'flex', 2_000_000, false],
    [undefined, 'priority', USUAL, false],
    ['priority', null, USUAL, false],
    [undefined, 'batch', USUAL, true],
  ])(
    'goes by the tier requested as %s and served as %s: %d',
    (requestedTier, servedTier, cost, hasUnpricedTier) => {
      const overrides = [
        { serviceTier: 'flex', prompt: '0.000001' },
        { serviceTier: 'priority', ...dear },
        { serviceTier: 'batch', validFrom: '2026-11-28T12:00:01Z', prompt: '0' },
      ];
      const pricing = { prompt: '0.000002', completion: '0.00001', overrides };
      const found = costOfRequest(pricing, request({ requestedTier, servedTier }));
      expect([Number(found.cost.totalNanos), found.hasUnpricedTier]).toEqual([cost, hasUnpricedTier]);
    },
  );

  test('goes by the length of each call, also when it is computed from a kept bill', () => {
    const calls = [
      { prompt: 600, completion: 50 },
      { prompt: 400, completion: 50 },
    ];
    const bill = request({ tokens: { prompt: 1_000, completion: 100, calls } });
    const pricing = {
      prompt: '0.000002',
      completion: '0.00001',
      overrides: [{ minPromptTokens: 500, ...dear }],
    };
    const kept = JSON.parse(JSON.stringify(bill)) as BilledRequest;
    expect(costOfRequest(pricing, kept).cost.totalNanos).toBe(4_200_000n);
  });

  test('stays the same when it is computed from the JSON of a kept bill', () => {
    const count = fc.integer({ min: 0, max: 10_000_000 });
    const price = fc.integer({ min: 0, max: 10 ** 9 }).map((n) => `0.${String(n).padStart(12, '0')}`);
    const pricing: TokenPricing = { prompt: '0.000002', completion: '0.00001' };
    fc.assert(
      fc.property(
        fc.record({ prompt: count, completion: count, cacheRead: count, cacheWrite: count }),
        fc.record({ outputSeconds: fc.double({ min: 0, max: 1e6, noNaN: true }), characters: count }),
        fc.record({ outputSecond: price, character: price, image: price, inputCacheWrite: price }),
        count,
        (tokens, media, prices, images) => {
          const priced = { ...pricing, ...prices, overrides: [{ minPromptTokens: 5_000_000, ...dear }] };
          const bill: LiveBill = { prices: 1, ...request({ tokens, media, images }) };
          const kept = JSON.parse(JSON.stringify(bill)) as LiveBill;
          expect(costOfRequest(priced, kept)).toEqual(costOfRequest(priced, bill));
        },
      ),
      { numRuns: 50 },
    );
  });
});

test('prices at a moment apply to requests of any time', () => {
  const overrides = [
    { validFrom: '2026-12-01', prompt: '2' },
    { validFrom: '2026-12-02', prompt: '3' },
    { minPromptTokens: 5, prompt: '4' },
  ];
  const pricing = { prompt: '1', completion: '1', overrides };
  expect(pricingAt(pricing, Date.parse('2026-12-01'))).toEqual({
    prompt: '1',
    completion: '1',
    overrides: [{ prompt: '2' }, { minPromptTokens: 5, prompt: '4' }],
  });
  expect(pricingAt({ prompt: '1', completion: '1' }, NOON)).toEqual({ prompt: '1', completion: '1' });
});
