import { describe, expect, test } from '@jest/globals';
import type { TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import { costOfMedia, type MediaUsage } from '../../../domain/catalog/media-price.ts';

const free = { prompt: '0', completion: '0' };
const none = { prompt: 0, completion: 0 };

function total(pricing: TokenPricing, media: MediaUsage): bigint {
  return costOfMedia(pricing, none, media).totalNanos;
}

describe('the cost of media', () => {
  test('adds up the units that have a price', () => {
    const pricing = { ...free, outputImage: '0.04', inputReference: '0.001', character: '0.000015' };
    expect(total(pricing, { outputImages: 3, inputReferences: 2, searchUnits: 5 })).toBe(122_000_000n);
    expect(total(pricing, { characters: 7 })).toBe(105_000n);
    expect(total(pricing, {})).toBe(0n);
    expect(total(free, { outputImages: 3 })).toBe(0n);
  });

  test('includes fractions of a megapixel and of a second', () => {
    expect(total({ ...free, outputMegapixel: '0.01' }, { outputMegapixels: 1.048576 })).toBe(10_485_760n);
    expect(total({ ...free, outputSecond: '0.00025' }, { outputSeconds: 0.5 })).toBe(125_000n);
  });

  test('splits into a prompt part for inputs and a completion part for outputs', () => {
    const pricing = { prompt: '0.000001', completion: '0', request: '0.01', outputImage: '0.04' };
    const media = { inputReferences: 1, outputImages: 2 };
    expect(costOfMedia({ ...pricing, inputReference: '0.001' }, { prompt: 5, completion: 0 }, media)).toEqual(
      { promptNanos: 11_005_000n, completionNanos: 80_000_000n, totalNanos: 91_005_000n },
    );
  });

  test('rounds once, half up, together with its tokens', () => {
    const pricing = {
      ...free,
      prompt: '0.0000000004',
      character: '0.0000000004',
      searchUnit: '0.0000000001',
    };
    expect(total(pricing, { characters: 1, searchUnits: 1 })).toBe(1n);
    expect(total(pricing, { characters: 1 })).toBe(0n);
    expect(costOfMedia(pricing, { prompt: 1, completion: 0 }, { characters: 1 }).totalNanos).toBe(1n);
  });
});
