import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatUsd, nanosToUsd, parseUsd, usdToNanos } from '../../domain/money.ts';
import { priceOf } from '../../domain/videos/video-price.ts';

describe('amounts of money', () => {
  test.each([
    ['0.01', 10_000_000n],
    ['12', 12_000_000_000n],
    ['0.0000000015', 2n],
    ['0.0000000014', 1n],
    ['-0.5', -500_000_000n],
  ])('read %s dollars as %s nanodollars', (text, nanos) => {
    expect(parseUsd(text)).toBe(nanos);
  });

  test('format as exact decimals that parse to the same amount', () => {
    expect([12_500_000_000n, 7n, -500_000_000n, 0n].map(formatUsd)).toEqual([
      '12.5',
      '0.000000007',
      '-0.5',
      '0',
    ]);
    fc.assert(fc.property(fc.bigInt(), (nanos) => parseUsd(formatUsd(nanos)) === nanos));
  });

  test.each(['', '1e3', '1.', '.5', '1,5', 'NaN', ' 1'])('refuse %p with a TypeError', (text) => {
    expect(() => parseUsd(text)).toThrow(TypeError);
  });

  test('survive the round trip through JSON numbers', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 1_000_000n * 1_000_000_000n), (nanos) => {
        expect(usdToNanos(nanosToUsd(nanos))).toBe(nanos);
      }),
    );
  });
});

describe('priceOf', () => {
  const shaped = { generateAudio: false, resolution: '720p', durationSeconds: 8, hasVideoInput: false };

  test.each<[string, Record<string, string>, object, bigint]>([
    ['per job', { video: '0.5' }, {}, 500_000_000n],
    ['by the second', { duration_seconds: '0.01' }, {}, 80_000_000n],
    ['the most specific rate', { duration_seconds: '0.01', duration_seconds_720p: '0.02' }, {}, 160_000_000n],
    [
      'with audio',
      { duration_seconds_720p: '0.02', duration_seconds_720p_with_audio: '0.03' },
      { generateAudio: true },
      240_000_000n,
    ],
    ['job and seconds together', { video: '1', duration_seconds: '0.01' }, {}, 1_080_000_000n],
    ['nothing listed is free', {}, {}, 0n],
  ])('computes the price: %s', (_, skus, change, nanos) => {
    expect(priceOf({ ...shaped, ...change }, skus)).toBe(nanos);
  });
});
