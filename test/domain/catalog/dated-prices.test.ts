/** Checks which prices a list shows on a day, where entries of them have dates. */
import { expect, test } from '@jest/globals';
import { pricingShownAt } from '../../../domain/catalog/dated-prices.ts';
import type { TokenPricing } from '../../../domain/catalog/token-pricing.ts';

const BASE = { prompt: '1', completion: '2' };
const [BEFORE, AFTER] = [Date.parse('2026-12-31T23:59:59Z'), Date.parse('2027-01-01T00:00:00Z')];
const DOUBLED = { validFrom: '2027-01-01', prompt: '2', completion: '4' };
const LONG = { minPromptTokens: 200_000, prompt: '5' };

test.each<[what: string, pricing: TokenPricing, atMs: number, shown: TokenPricing]>([
  [
    'the old price before its last day ends',
    { ...BASE, overrides: [DOUBLED] },
    BEFORE,
    { ...BASE, overrides: [DOUBLED] },
  ],
  [
    'the new price from its first instant',
    { ...BASE, overrides: [DOUBLED] },
    AFTER,
    { prompt: '2', completion: '4' },
  ],
  [
    'steps beside a new price',
    { ...BASE, overrides: [DOUBLED, LONG] },
    AFTER,
    { prompt: '2', completion: '4', overrides: [LONG] },
  ],
  [
    'no step that a later new price replaces',
    { ...BASE, overrides: [LONG, DOUBLED] },
    AFTER,
    { prompt: '2', completion: '4' },
  ],
  [
    'a dated step without its date',
    { ...BASE, overrides: [{ ...LONG, validFrom: '2027-01-01' }] },
    AFTER,
    { ...BASE, overrides: [LONG] },
  ],
  ['prices without dates as they are', { ...BASE, overrides: [LONG] }, AFTER, { ...BASE, overrides: [LONG] }],
])('a list shows %s', (_, pricing, atMs, shown) => {
  expect(pricingShownAt(pricing, atMs)).toEqual(shown);
});
