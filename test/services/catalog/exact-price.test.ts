import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { exactPrice } from '../../../services/catalog/price-sources/exact-price.ts';
import { PriceSourceError } from '../../../services/catalog/price-sources/source-model.ts';

describe('an exact price', () => {
  test.each([
    [1.25e-6, 0, '0.00000125'],
    [1e-7, 0, '0.0000001'],
    [0.0375, 6, '0.0000000375'],
    [22.5, 6, '0.0000225'],
    [0, 6, '0'],
    [1000000, 6, '1'],
    [1.5, 0, '1.5'],
    [0.1 + 0.2, 0, '0.30000000000000004'],
    [0.08333333333333334, 6, '0.000000083333333333'],
  ])('turns %d for 10^%d units into %s', (value, zeros, price) => {
    expect(exactPrice(value, zeros, 'here')).toBe(price);
  });

  test('keeps the digits of the float for every unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 6 }), (digits, scale) => {
        const perMillion = Number(`${digits}e-${scale}`);
        const expected = BigInt(digits) * 10n ** BigInt(12 - scale);
        const [whole = '', fraction = ''] = exactPrice(perMillion, 6, 'here').split('.');
        expect(BigInt(whole + fraction.padEnd(18, '0'))).toBe(expected);
      }),
    );
  });

  test.each([-1, NaN, Infinity, 1e7, '1', null, undefined, {}])('cannot be %p', (value) => {
    expect(() => exactPrice(value, 0, 'acme/fast.input')).toThrow(PriceSourceError);
    expect(() => exactPrice(value, 0, 'acme/fast.input')).toThrow(
      'acme/fast.input must be a number of dollars',
    );
  });
});
