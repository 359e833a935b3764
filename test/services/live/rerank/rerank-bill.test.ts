import { describe, expect, test } from '@jest/globals';
import type { LiveEndpoint } from '../../../../domain/catalog/catalog.ts';
import type { TokenPricing } from '../../../../domain/catalog/token-pricing.ts';
import { billRerank } from '../../../../services/live/rerank/rerank-bill.ts';
import { readRerank } from '../../../../services/live/rerank/rerank-facts.ts';

const FREE: TokenPricing = { prompt: '0', completion: '0' };
const FACTS = { estimatedTokens: 1_000, estimatedUnits: 2, images: 0, modalities: [] };

function bill(pricing: Partial<TokenPricing>, usage: { searchUnits?: number; totalTokens?: number }) {
  const endpoint = { pricing: { ...FREE, ...pricing } } as LiveEndpoint;
  return billRerank(endpoint, { results: [], usage }, FACTS);
}

describe('the bill of a rerank call', () => {
  test.each([
    ['searches', { searchUnit: '0.002' }, { searchUnits: 3 }, 6_000_000n],
    ['tokens', { prompt: '0.00000005' }, { totalTokens: 2_000 }, 100_000n],
    ['a request', { request: '0.01' }, {}, 10_000_000n],
    ['nothing', {}, { searchUnits: 3, totalTokens: 7 }, 0n],
  ])('charges %s as the upstream counted them', (_, pricing, usage, costNanos) => {
    expect(bill(pricing, usage)).toEqual({ ...usage, costNanos });
  });

  test('estimates only units that have a price', () => {
    expect(bill({ searchUnit: '0.002' }, {})).toEqual({ searchUnits: 2, costNanos: 4_000_000n });
    expect(bill({ prompt: '0.000001' }, {})).toEqual({ totalTokens: 1_000, costNanos: 1_000_000n });
    expect(bill({ prompt: '0.000001' }, { searchUnits: 1 })).toEqual({
      searchUnits: 1,
      totalTokens: 1_000,
      costNanos: 1_000_000n,
    });
  });

  test('costs nothing when the upstream counted zero units', () => {
    expect(bill({ searchUnit: '0.002' }, { searchUnits: 0 })).toEqual({ searchUnits: 0, costNanos: 0n });
  });
});

describe('the facts of a rerank request', () => {
  test('count the query once with each document', () => {
    expect(readRerank('abcd', ['abcd', { text: 'abcdefgh' }])).toMatchObject({
      estimatedTokens: 5,
      estimatedUnits: 1,
      images: 0,
      modalities: ['text'],
    });
  });

  test('count one more unit for each 500 tokens of a document', () => {
    expect(readRerank('abcd', ['abcd'.repeat(49_999)]).estimatedUnits).toBe(1);
    expect(readRerank('abcd', ['abcd'.repeat(50_000)]).estimatedUnits).toBe(2);
  });

  test('count images', () => {
    const facts = readRerank('abcd', [{ image: 'data:,' }, { text: 'abcd', image: 'data:,' }]);
    expect(facts).toMatchObject({ images: 2, estimatedTokens: 2_003, modalities: ['text', 'image'] });
  });
});
