import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ImageSizeLimits } from '../../../domain/catalog/catalog.ts';
import {
  clampSize,
  isWithin,
  nearestRatio,
  nearestResolution,
  nearestSize,
  sizeFor,
} from '../../../domain/live/image-size.ts';
import { formatSize } from '../../../domain/pixel-size.ts';

const limits: ImageSizeLimits = {
  multipleOf: 16,
  maxSide: 3840,
  minPixels: 655_360,
  maxPixels: 8_294_400,
  maxRatio: 3,
};
const size = (width: number, height: number) => ({ width, height });

describe('clampSize', () => {
  test.each([
    [size(1024, 1024), size(1024, 1024)],
    [size(3840, 2160), size(3840, 2160)],
    [sizeFor('4K', 16 / 9), size(3840, 2160)],
    [sizeFor('4K', 1), size(2880, 2880)],
    [sizeFor('1K', 16 / 9), size(1360, 768)],
    [size(100, 100), size(816, 816)],
    [size(4000, 100), size(1408, 480)],
    [size(1000, 1000), size(1008, 1008)],
    [size(1401, 468), size(1392, 480)],
  ])('clamps %j to %j', (wanted, clamped) => {
    expect(clampSize(wanted, limits)).toEqual(clamped);
  });

  test('satisfies all limits and leaves a size within them unchanged', () => {
    const side = fc.integer({ min: 16, max: 16_384 });
    fc.assert(
      fc.property(side, side, (width, height) => {
        const clamped = clampSize(size(width, height), limits);
        const [long, short] = [clamped.width, clamped.height].toSorted((a, b) => b - a) as [number, number];
        expect(isWithin(clamped, limits)).toBe(true);
        expect(isWithin(size(width, height), limits)).toBe(
          formatSize(clamped) === formatSize(size(width, height)),
        );
        expect(clamped.width % 16).toBe(0);
        expect(clamped.height % 16).toBe(0);
        expect(long).toBeLessThanOrEqual(3840);
        expect(long / short).toBeLessThanOrEqual(3);
        expect(long * short).toBeLessThanOrEqual(8_294_400);
        expect(long * short).toBeGreaterThanOrEqual(655_360);
        expect(clampSize(clamped, limits)).toEqual(clamped);
      }),
      { numRuns: 1_000 },
    );
  });

  test('rounds sides to multiples of 16 when no limits are known', () => {
    expect(clampSize(size(1365.3, 768))).toEqual(size(1360, 768));
  });
});

describe('the nearest offered value', () => {
  test('has the most similar ratio, and is never auto', () => {
    expect(nearestRatio(16 / 9, ['auto', '1:1', '3:2'])).toBe('3:2');
    expect(nearestRatio(1, ['auto'])).toBeUndefined();
  });

  test('has the resolution with the closest number of pixels', () => {
    expect(nearestResolution(4096, ['1K', '2K'])).toBe('2K');
    expect(nearestResolution(700, ['512', '768'])).toBe('768');
  });

  test('matches a size by shape first, then by pixels', () => {
    const offered = ['1024x1024', '2048x2048', '1536x1024', '1024x1536'];
    expect(nearestSize(size(1900, 1900), offered)).toEqual(size(2048, 2048));
    expect(nearestSize(size(3000, 1000), offered)).toEqual(size(1536, 1024));
    expect(nearestSize(size(1, 1), [])).toBeUndefined();
  });
});
