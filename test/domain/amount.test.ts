import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatMicros, readAmount, toMicros } from '../../domain/amount.ts';

describe('amounts of units', () => {
  test.each([
    [5, '5'],
    [0, '0'],
    [-0, '0'],
    [2.5, '2.5'],
    [1e-7, '0'],
    [0.0000005, '0.000001'],
    [0.1 + 0.2, '0.3'],
    ['  12.340 ', '12.34'],
    ['007', '7'],
    ['1.9999999', '2'],
    ['3.', '3'],
    [2e14, '200000000000000'],
  ])('reads an amount from %p', (stated, amount) => {
    expect(readAmount(stated)).toBe(amount);
  });

  test.each([
    -1,
    '-1',
    NaN,
    Infinity,
    '1e5',
    '1,5',
    '',
    ' ',
    '.5',
    '0x10',
    1e15,
    '1'.repeat(16),
    null,
    undefined,
    {},
    [3],
    true,
  ])('reads no amount from %p', (stated) => {
    expect(readAmount(stated)).toBeUndefined();
  });

  test('keeps amounts unchanged through millionths', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 21n - 1n), (micros) => {
        const amount = formatMicros(micros);
        expect(toMicros(amount)).toBe(micros);
        expect(readAmount(amount)).toBe(amount);
      }),
    );
  });
});
