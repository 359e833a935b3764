import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatMicros, toMicros } from '../../../domain/amount.ts';
import { unitsFlagOf, unitsOf } from '../../../domain/catalog/live-units.ts';

describe('the units of a request', () => {
  test('add up, with a fraction of a millionth rounded up', () => {
    const rates = { per_request: '1', per_image: '0.5', per_megapixel: '2', per_character: '0.25' };
    expect(unitsOf(rates, { images: 3, megapixels: 1.5, characters: 10 })).toBe('8');
    expect(unitsOf({ per_megapixel: '0.000001' }, { megapixels: 0.1 })).toBe('0.000001');
    expect(unitsOf({}, { images: 3 })).toBe('0');
  });

  test('grow with every rate and every count', () => {
    const amount = fc.bigInt(0n, 10n ** 12n).map(formatMicros);
    const count = fc.nat(100_000);
    fc.assert(
      fc.property(amount, amount, count, count, (lower, more, images, characters) => {
        const higher = formatMicros(toMicros(lower) + toMicros(more));
        const basis = { images, megapixels: images / 3, characters };
        const all = (rate: string) => ({ per_image: rate, per_megapixel: rate, per_character: rate });
        const [less, most] = [unitsOf(all(lower), basis), unitsOf(all(higher), basis)];
        expect(toMicros(less) <= toMicros(most)).toBe(true);
      }),
    );
  });

  test.each([
    ['3', '1', null],
    ['3.000001', '1', 'above_estimate'],
    ['0.333334', '1', null],
    ['0.333333', '1', 'below_estimate'],
    ['0', '1', 'below_estimate'],
    ['1', '0', 'above_estimate'],
    [undefined, '1', 'not_reported'],
  ])('reported as %s where %s are usual are flagged %s', (reported, estimate, flag) => {
    expect(unitsFlagOf(reported, estimate)).toBe(flag);
  });
});
