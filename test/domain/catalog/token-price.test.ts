import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import { costOfTokens, parsePrice } from '../../../domain/catalog/token-price.ts';

const PRICING: TokenPricing = { prompt: '0.00000015', completion: '0.0000006' };

describe('costOfTokens', () => {
  test('charges prices below a nanodollar exactly', () => {
    const pricing = { prompt: '0.0000000000375', completion: '0' };
    expect(costOfTokens(pricing, { prompt: 1_000_000, completion: 0 }).totalNanos).toBe(37_500n);
  });

  test('rounds the sum once, half up, instead of each part', () => {
    const pricing = { prompt: '0.0000000004', completion: '0.0000000004' };
    const { promptNanos, completionNanos, totalNanos } = costOfTokens(pricing, { prompt: 1, completion: 1 });
    expect(totalNanos).toBe(1n);
    expect(promptNanos + completionNanos).toBe(totalNanos);
  });

  test('charges cached, written and audio prompt tokens their own price, others the usual one', () => {
    const usage = { prompt: 1_000, completion: 10, cacheRead: 400, cacheWrite: 100, promptAudio: 50 };
    const pricing = { ...PRICING, inputCacheRead: '0.000000075', audio: '0.00001' };
    const prompt = 450n * 150n + 400n * 75n + 100n * 150n + 50n * 10_000n;
    expect(costOfTokens(pricing, usage).totalNanos).toBe(prompt + 10n * 600n);
  });

  test('charges cache writes that live an hour their own price, else that of the prompt', () => {
    const usage = { prompt: 1_000, completion: 0, cacheWrite: 300, cacheWriteHour: 100 };
    const pricing = { ...PRICING, inputCacheWrite: '0.0000002', inputCacheWriteHour: '0.0000003' };
    expect(costOfTokens(pricing, usage).totalNanos).toBe(700n * 150n + 200n * 200n + 100n * 300n);
    expect(costOfTokens(PRICING, usage).totalNanos).toBe(1_000n * 150n);
  });

  test('charges pictures in the prompt their own price, else that of the prompt', () => {
    const usage = { prompt: 1_000, completion: 0, promptImage: 600 };
    const pricing = { ...PRICING, imageInput: '0.000001' };
    expect(costOfTokens(pricing, usage).totalNanos).toBe(400n * 150n + 600n * 1_000n);
    expect(costOfTokens(PRICING, usage).totalNanos).toBe(1_000n * 150n);
  });

  test('charges reasoning as completion unless it has a price of its own', () => {
    const usage = { prompt: 0, completion: 100, reasoning: 60 };
    expect(costOfTokens(PRICING, usage).totalNanos).toBe(60_000n);
    const own = { ...PRICING, internalReasoning: '0.000001' };
    expect(costOfTokens(own, usage).totalNanos).toBe(40n * 600n + 60n * 1_000n);
  });

  test('charges generated images and audio as completion unless they have prices of their own', () => {
    const usage = { prompt: 0, completion: 100, completionImage: 50, completionAudio: 20 };
    expect(costOfTokens(PRICING, usage).totalNanos).toBe(60_000n);
    const own = { ...PRICING, imageOutput: '0.00003', audioOutput: '0.00001' };
    expect(costOfTokens(own, usage).totalNanos).toBe(30n * 600n + 50n * 30_000n + 20n * 10_000n);
  });

  test('adds the price of the request and of each image', () => {
    const pricing = { ...PRICING, request: '0.01', image: '0.002' };
    expect(costOfTokens(pricing, { prompt: 0, completion: 0 }, 3).totalNanos).toBe(16_000_000n);
  });

  test('never falls when usage grows, and never falls below zero', () => {
    const count = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(count, count, count, count, (prompt, completion, cacheRead, more) => {
        const less = costOfTokens(PRICING, { prompt, completion, cacheRead }).totalNanos;
        const both = costOfTokens(PRICING, {
          prompt: prompt + more,
          completion: completion + more,
          cacheRead,
        });
        expect(less).toBeGreaterThanOrEqual(0n);
        expect(both.totalNanos).toBeGreaterThanOrEqual(less);
      }),
    );
  });

  test.each(['', '-1', '1e-7', 'free', '1.', '.5'])('refuses the price %j with a TypeError', (text) => {
    expect(() => parsePrice(text)).toThrow(TypeError);
  });
});
