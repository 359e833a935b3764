import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { costPartsOf } from '../../../domain/ledger/cost-parts.ts';
import type { TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import { costOfMedia } from '../../../domain/catalog/media-price.ts';

const PLAIN: TokenPricing = { prompt: '0.000001', completion: '0.000002' };
const PRICING: TokenPricing = {
  ...PLAIN,
  request: '0.01',
  image: '0.002',
  audio: '0.00001',
  imageInput: '0.000003',
  inputCacheRead: '0.0000001',
  inputAudioCache: '0.0000005',
  videoInput: '0.000006',
  inputCacheWrite: '0.00000125',
  inputCacheWriteHour: '0.000002',
  internalReasoning: '0.000004',
  imageOutput: '0.00003',
  audioOutput: '0.00002',
  outputImage: '0.04',
};
const USAGE = {
  prompt: 1_000,
  completion: 100,
  cacheRead: 400,
  cacheReadAudio: 150,
  cacheWrite: 100,
  cacheWriteHour: 40,
  promptAudio: 50,
  promptImage: 30,
  promptVideo: 20,
  reasoning: 60,
  completionImage: 10,
  completionAudio: 5,
};

describe('the parts of a cost', () => {
  test('contain one entry for each kind with a price of its own', () => {
    expect(costPartsOf(PRICING, { usage: USAGE, images: 2, media: { outputImages: 1 } })).toEqual({
      prompt: 400n * 1_000n,
      completion: 25n * 2_000n,
      cacheRead: 250n * 100n + 150n * 500n,
      cacheWrite: 60n * 1_250n + 40n * 2_000n,
      reasoning: 60n * 4_000n,
      request: 10_000_000n,
      media:
        50n * 10_000n +
        30n * 3_000n +
        20n * 6_000n +
        10n * 30_000n +
        5n * 20_000n +
        2n * 2_000_000n +
        40_000_000n,
    });
  });

  test('contain prompt and completion when no kind has its own price', () => {
    expect(costPartsOf(PLAIN, { usage: USAGE })).toEqual({ prompt: 1_000_000n, completion: 200_000n });
  });

  test('include cacheWrite when only its hourly kind has a price', () => {
    const pricing = { ...PLAIN, inputCacheWriteHour: '0.000002' };
    const usage = { prompt: 100, completion: 0, cacheWrite: 100, cacheWriteHour: 100 };
    expect(costPartsOf(pricing, { usage })).toEqual({ prompt: 0n, completion: 0n, cacheWrite: 200_000n });
  });

  test('contain only media when no tokens are counted', () => {
    const pricing = { prompt: '0', completion: '0', outputImage: '0.04' };
    expect(costPartsOf(pricing, { usage: null, media: { outputImages: 2 } })).toEqual({ media: 80_000_000n });
  });

  test('add up to the bill for any amounts and prices', () => {
    const price = fc.bigInt({ min: 0n, max: 10n ** 13n }).map((attos) => `0.${`${attos}`.padStart(18, '0')}`);
    const pricing = fc.record({
      prompt: price,
      completion: price,
      request: price,
      image: price,
      audio: price,
      inputCacheRead: price,
      inputCacheWrite: price,
      internalReasoning: price,
      imageOutput: price,
      outputImage: price,
    });
    const count = fc.integer({ min: 0, max: 1_000 });
    const usage = fc.record(
      {
        prompt: count,
        completion: count,
        cacheRead: count,
        cacheWrite: count,
        promptAudio: count,
        reasoning: count,
        completionImage: count,
      },
      { requiredKeys: ['prompt', 'completion'] },
    );
    fc.assert(
      fc.property(pricing, usage, count, count, (prices, used, images, outputImages) => {
        const media = { outputImages };
        const parts = Object.values(costPartsOf(prices, { usage: used, images, media }));
        expect(parts.every((nanos) => nanos >= 0n)).toBe(true);
        const sum = parts.reduce((total, nanos) => total + nanos, 0n);
        expect(sum).toBe(costOfMedia(prices, used, media, images).totalNanos);
      }),
    );
  });
});
