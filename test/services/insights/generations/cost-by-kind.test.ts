import { describe, expect, test } from '@jest/globals';
import type { TokenPricing } from '../../../../domain/catalog/token-pricing.ts';
import { costByKind } from '../../../../services/insights/generations/cost-by-kind.ts';

const PRICING: TokenPricing = {
  prompt: '0.000001',
  completion: '0.000002',
  inputCacheRead: '0.0000001',
  inputCacheWrite: '0.00000125',
  internalReasoning: '0.000003',
  request: '0.01',
  image: '0.002',
};

const BILL = {
  prices: 7,
  startMs: 0,
  endMs: 1,
  inputs: ['text' as const],
  outputs: ['text' as const],
  tokens: { prompt: 100, completion: 50, cacheRead: 40, cacheWrite: 20, reasoning: 10 },
  images: 1,
};

const BILLED = {
  apiType: 'completions' as const,
  costNanos: 12_179_000n,
  bill: BILL,
  pricing: PRICING,
  isPrivate: false,
};

describe('the cost of a generation by kind', () => {
  test('contains each kind with a price of its own, and adds up to the bill', () => {
    const parts = costByKind(BILLED);
    expect(parts).toEqual({
      prompt: 40_000n,
      completion: 80_000n,
      cacheRead: 4_000n,
      cacheWrite: 25_000n,
      reasoning: 30_000n,
      request: 10_000_000n,
      media: 2_000_000n,
    });
  });

  test('returns null when the kinds would contradict the bill', () => {
    expect(costByKind({ ...BILLED, costNanos: 12_178_999n })).toBeNull();
  });

  test('returns null without a kept bill, and without the prices that it names', () => {
    expect(costByKind({ ...BILLED, bill: null })).toBeNull();
    expect(costByKind({ ...BILLED, pricing: null, isPrivate: null })).toBeNull();
  });

  test('follows the prices of a private endpoint', () => {
    const pricing = { prompt: '0.000001', completion: '0.000002' };
    const bill = { ...BILL, tokens: { prompt: 3, completion: 4 }, images: 0 };
    const of = {
      ...BILLED,
      costNanos: 11_000n,
      bill,
      pricing: { ...pricing, cacheRead: '0', cacheWrite: '0' },
    };
    expect(costByKind({ ...of, isPrivate: true })).toEqual({
      prompt: 3_000n,
      completion: 8_000n,
    });
  });

  test('belongs to media as a whole in a video', () => {
    const video = { ...BILLED, apiType: 'video' as const, bill: null };
    expect(costByKind(video)).toEqual({ media: 12_179_000n });
    expect(costByKind({ ...video, costNanos: 0n })).toBeNull();
  });
});
