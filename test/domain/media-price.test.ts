import { describe, expect, test } from '@jest/globals';
import { costOfMedia } from '../../domain/media-price.ts';

const free = { prompt: '0', completion: '0' };

describe('what media costs', () => {
  test('adds up what has a price, and nothing else', () => {
    const pricing = { ...free, outputImage: '0.04', inputReference: '0.001', character: '0.000015' };
    expect(costOfMedia(pricing, { outputImages: 3, inputReferences: 2, searchUnits: 5 })).toBe(122_000_000n);
    expect(costOfMedia(pricing, { characters: 7 })).toBe(105_000n);
    expect(costOfMedia(pricing, {})).toBe(0n);
    expect(costOfMedia(free, { outputImages: 3 })).toBe(0n);
  });

  test('knows parts of a megapixel and of a second', () => {
    expect(costOfMedia({ ...free, outputMegapixel: '0.01' }, { outputMegapixels: 1.048576 })).toBe(
      10_485_760n,
    );
    expect(costOfMedia({ ...free, outputSecond: '0.00025' }, { outputSeconds: 0.5 })).toBe(125_000n);
  });

  test('rounds once, half up', () => {
    const pricing = { ...free, character: '0.0000000004', searchUnit: '0.0000000001' };
    expect(costOfMedia(pricing, { characters: 1, searchUnits: 1 })).toBe(1n);
    expect(costOfMedia(pricing, { characters: 1 })).toBe(0n);
  });
});
