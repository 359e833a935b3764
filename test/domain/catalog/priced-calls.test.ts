import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { costPartsOf } from '../../../domain/ledger/cost-parts.ts';
import { costOfMedia } from '../../../domain/catalog/media-price.ts';
import { pricesUnder } from '../../../domain/catalog/price-conditions.ts';
import { costOfCalls, priceCalls } from '../../../domain/catalog/priced-calls.ts';
import {
  PRICE_NAMES,
  type PriceOverride,
  type TokenPrices,
  type TokenPricing,
} from '../../../domain/catalog/token-pricing.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';

const price = fc.bigInt({ min: 0n, max: 10n ** 13n }).map((attos) => `0.${`${attos}`.padStart(18, '0')}`);
const prices = Object.fromEntries(PRICE_NAMES.map((name) => [name, price])) as Record<
  keyof TokenPrices,
  typeof price
>;
const override: fc.Arbitrary<PriceOverride> = fc
  .tuple(fc.record(prices, { requiredKeys: [] }), fc.integer({ min: 1, max: 6_000 }))
  .map(([priced, minPromptTokens]) => ({ ...priced, minPromptTokens }));
const pricing: fc.Arbitrary<TokenPricing> = fc.record(
  { ...prices, overrides: fc.array(override, { minLength: 1, maxLength: 4 }) },
  { requiredKeys: ['prompt', 'completion', 'overrides'] },
);

const count = fc.integer({ min: 0, max: 1_000 });
/** The parts of prompt and completion never exceed their whole, as in the usages of vendors after their validation. */
const call = fc
  .record({
    plain: fc.tuple(count, count),
    inPrompt: fc.record({
      cacheRead: count,
      cacheWrite: count,
      promptAudio: count,
      promptImage: count,
      promptVideo: count,
    }),
    inCompletion: fc.record({ reasoning: count, completionImage: count, completionAudio: count }),
    cacheReadAudio: count,
    cacheWriteHour: count,
  })
  .map(({ plain: [prompt, completion], inPrompt, inCompletion, cacheReadAudio, cacheWriteHour }) => ({
    prompt: Object.values(inPrompt).reduce((sum, tokens) => sum + tokens, prompt),
    completion: Object.values(inCompletion).reduce((sum, tokens) => sum + tokens, completion),
    ...inPrompt,
    ...inCompletion,
    cacheReadAudio: Math.min(cacheReadAudio, inPrompt.cacheRead),
    cacheWriteHour: Math.min(cacheWriteHour, inPrompt.cacheWrite),
  }));
const calls = fc.array(call, { minLength: 1, maxLength: 4 });

/** Adds up the counts of calls. */
function sumOf(usages: readonly TokenUsage[]): TokenUsage {
  const sum: Record<string, number> = { prompt: 0, completion: 0 };
  for (const usage of usages)
    for (const [name, tokens] of Object.entries(usage)) sum[name] = (sum[name] ?? 0) + (tokens as number);
  return { ...sum, calls: usages } as unknown as TokenUsage;
}

const at = (table: TokenPricing) => (tokens: number) =>
  pricesUnder(table, { promptTokens: [tokens, tokens], startedAtMs: 0, endedAtMs: [0, 0] });

describe('the cost of several calls', () => {
  test('equals that of each call at the prices of its length, for any prices and counts', () => {
    fc.assert(
      fc.property(pricing, calls, count, count, (table, usages, images, outputImages) => {
        const media = { outputImages };
        const priced = priceCalls(sumOf(usages), at(table));
        const { totalNanos } = costOfCalls(priced, images, media);
        const apart = usages.map((usage, index) =>
          index === 0
            ? costOfMedia(at(table)(usage.prompt), usage, media, images).totalNanos
            : costOfMedia({ ...at(table)(usage.prompt), request: '0' }, usage, {}).totalNanos,
        );
        const sum = apart.reduce((total, nanos) => total + nanos, 0n);
        // Each call is rounded apart here.
        const margin = BigInt(usages.length);
        expect(totalNanos - sum).toBeLessThanOrEqual(margin);
        expect(sum - totalNanos).toBeLessThanOrEqual(margin);
      }),
    );
  });

  test('equals the sum of its kinds to the nanodollar, and no kind is negative', () => {
    fc.assert(
      fc.property(pricing, calls, count, count, (table, usages, images, outputImages) => {
        const media = { outputImages };
        const usage = sumOf(usages);
        const priced = priceCalls(usage, at(table));
        const parts = costPartsOf(priced[0].prices, { usage, images, media, calls: priced });
        const nanos = Object.values(parts);
        expect(nanos.every((part) => part >= 0n)).toBe(true);
        expect(nanos.reduce((sum, part) => sum + part, 0n)).toBe(
          costOfCalls(priced, images, media).totalNanos,
        );
      }),
    );
  });

  test('equals that of one call if the same prices apply to all of them', () => {
    const table = { prompt: '1', completion: '1', overrides: [{ minPromptTokens: 5, prompt: '2' }] };
    const usage = sumOf([
      { prompt: 4, completion: 1 },
      { prompt: 3, completion: 1 },
    ]);
    expect(priceCalls(usage, at(table))).toEqual([{ prices: at(table)(1), usage }]);
  });
});
