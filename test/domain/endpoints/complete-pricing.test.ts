import { describe, expect, test } from '@jest/globals';
import { completePricing } from '../../../domain/endpoints/complete-pricing.ts';
import { formatPrice, parsePrice } from '../../../domain/catalog/token-price.ts';

const PUBLIC = {
  prompt: '0.000003',
  completion: '0.00001',
  inputCacheRead: '0.000001',
  inputCacheWrite: '0.00000375',
};

describe('completePricing', () => {
  test('uses the public prices when the customer states none', () => {
    expect(completePricing(undefined, PUBLIC)).toEqual({
      prompt: '0.000003',
      completion: '0.00001',
      cacheRead: '0.000001',
      cacheWrite: '0.00000375',
    });
    const plain = { prompt: '0.5', completion: '1' };
    expect(completePricing(undefined, plain)).toEqual({ ...plain, cacheRead: '0.5', cacheWrite: '0.5' });
  });

  test('returns zeros when neither the customer nor the catalog states prices', () => {
    const nothing = { prompt: '0', completion: '0', cacheRead: '0', cacheWrite: '0' };
    expect(completePricing(undefined, undefined)).toEqual(nothing);
  });

  test('keeps stated prices exactly as they are written', () => {
    const stated = { prompt: '1.50', completion: '007', cacheRead: '0.0', cacheWrite: '2.000' };
    expect(completePricing(stated, PUBLIC)).toEqual(stated);
  });

  test('keeps the public ratio of cache price to prompt price, rounded to 18 digits', () => {
    expect(completePricing({ prompt: '0.000002', completion: '0' }, PUBLIC)).toMatchObject({
      cacheRead: '0.000000666666666667',
      cacheWrite: '0.0000025',
    });
    expect(completePricing({ prompt: '999999999', completion: '0' }, PUBLIC)).toMatchObject({
      cacheRead: '333333333',
      cacheWrite: '1249999998.75',
    });
  });

  test.each([
    ['no public endpoint', undefined],
    ['no public price of the cache', { prompt: '0.000003', completion: '0' }],
    ['a public prompt that costs nothing', { ...PUBLIC, prompt: '0' }],
  ])('charges the cache like the prompt with %s', (_what, listed) => {
    const stated = { prompt: '0.0000015', completion: '0' };
    expect(completePricing(stated, listed)).toMatchObject({
      cacheRead: '0.0000015',
      cacheWrite: '0.0000015',
    });
  });

  describe('an entry of overrides with a price of the prompt', () => {
    const stated = { prompt: '0.000002', completion: '0' };
    const overrides = [
      { minPromptTokens: 5, prompt: '0.000006' },
      { serviceTier: 'flex', prompt: '0.000001', inputCacheRead: '0.0000005' },
      { serviceTier: 'late', completion: '0' },
    ];

    test('gets derived prices of the cache by the same ratio', () => {
      expect(completePricing({ ...stated, overrides }, PUBLIC).overrides).toEqual([
        { ...overrides[0], inputCacheRead: '0.000002', inputCacheWrite: '0.0000075' },
        { ...overrides[1], inputCacheWrite: '0.00000125' },
        overrides[2],
      ]);
      expect(completePricing({ ...stated, overrides }, undefined).overrides).toEqual([
        { ...overrides[0], inputCacheRead: '0.000006', inputCacheWrite: '0.000006' },
        { ...overrides[1], inputCacheWrite: '0.000001' },
        overrides[2],
      ]);
    });

    test('leaves stated prices of the cache as they are', () => {
      const cache = { cacheRead: '0.0000003', cacheWrite: '0' };
      expect(completePricing({ ...stated, ...cache, overrides }, PUBLIC).overrides).toEqual(overrides);
    });

    test('follows the public endpoint when the customer states no prices', () => {
      const entry = { minPromptTokens: 5, prompt: '0.000006' };
      const listed = { ...PUBLIC, inputCacheWrite: undefined, overrides: [entry] };
      expect(completePricing(undefined, listed as never).overrides).toEqual([
        { ...entry, inputCacheWrite: '0.000006' },
      ]);
    });
  });

  test('takes over public overrides with the prices that a private endpoint can have', () => {
    const overrides = [
      { minPromptTokens: 5, prompt: '2', request: '1', audio: '3' },
      { serviceTier: 'flex', internalReasoning: '1' },
    ];
    expect(completePricing(undefined, { ...PUBLIC, overrides }).overrides).toEqual([
      { minPromptTokens: 5, prompt: '2' },
    ]);
    expect(
      completePricing({ prompt: '1', completion: '1' }, { ...PUBLIC, overrides }).overrides,
    ).toBeUndefined();
  });
});

test.each(['0', '1', '0.000000000000000001', '123456789.5', '10'])(
  'formatPrice writes %s exactly as parsePrice reads it',
  (price) => {
    expect(formatPrice(parsePrice(price))).toBe(price);
  },
);
