import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { type PriceOverride, type TokenPricing, WEEKDAYS } from '../../../../domain/catalog/token-pricing.ts';
import type { Target } from '../../../../domain/routing/routing.ts';
import { estimateText } from '../../../../services/live/pipeline/text-estimate.ts';
import { measurePrompt } from '../../../../services/live/prompt/measure-prompt.ts';
import { billTokens } from '../../../../services/live/prompt/token-bill.ts';

const NOON = Date.parse('2026-11-28T12:00:00Z');

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

const price = fc.bigInt({ min: 0n, max: 10n ** 13n }).map((attos) => `0.${`${attos}`.padStart(18, '0')}`);
const prices = {
  prompt: price,
  completion: price,
  request: price,
  inputCacheRead: price,
  inputCacheWrite: price,
  inputCacheWriteHour: price,
  internalReasoning: price,
};
const clock = fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => hour * 100 + minute);
const tier = fc.constantFrom('flex', 'priority');
const override: fc.Arbitrary<PriceOverride> = fc
  .record(
    {
      ...prices,
      minPromptTokens: fc.integer({ min: 1, max: 150 }),
      window: fc.tuple(clock, clock).filter(([start, end]) => start !== end),
      utcDays: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
      utcMoment: fc.constantFrom('start' as const, 'end' as const),
      serviceTier: tier,
      outputModality: fc.constantFrom('text' as const, 'image' as const),
      validFrom: fc.constantFrom('2026-11-28', '2026-11-29'),
    },
    { requiredKeys: [] },
  )
  .map(({ window, ...entry }) => ({ ...entry, ...(window && { utcStart: window[0], utcEnd: window[1] }) }));
const pricing: fc.Arbitrary<TokenPricing> = fc.record(
  { ...prices, overrides: fc.array(override, { minLength: 1, maxLength: 5 }) },
  { requiredKeys: ['prompt', 'completion'] },
);

const share = fc.double({ min: 0, max: 1, noNaN: true });
const facts = fc.record({
  text: fc.string({ unit: fc.constantFrom('a', 'é', '海', ' '), maxLength: 60 }),
  ttl: fc.constantFrom(undefined, '5m', '1h'),
  writesUnasked: fc.boolean(),
  limit: fc.integer({ min: 1, max: 50 }),
  hour: fc.nat(23),
  lastsMs: fc.nat(7_200_000),
  asked: fc.option(tier, { nil: undefined }),
  served: fc.option(fc.constantFrom('flex', 'priority', 'default', 'new'), { nil: undefined }),
  made: fc.uniqueArray(fc.constantFrom('text' as const, 'image' as const)),
  counted: share,
  cached: share,
  written: share,
  answered: share,
  thought: share,
});

test('a bill never exceeds the highest reserved amount, for any prices, conditions and counts', () => {
  fc.assert(
    fc.property(
      pricing,
      facts,
      (table, { text, ttl, writesUnasked, limit, hour, lastsMs, asked, served, made, ...shares }) => {
        const startedAtMs = NOON + hour * 3_600_000;
        jest.setSystemTime(startedAtMs);
        const marker = ttl && { cache_control: { type: 'ephemeral', ttl } };
        const content = [{ type: 'text', text, ...marker }];
        const prompt = measurePrompt({ messages: [{ role: 'user', content }], service_tier: asked });
        const target = {
          endpoint: { pricing: table, contextLength: 10_000, cachesImplicitly: writesUnasked },
          model: { outputModalities: ['text', 'image'], contextLength: null },
        } as unknown as Target;
        const { mostFixed, output } = estimateText(target, {
          prompt,
          limit,
          answers: 1,
          reasoning: { least: 0, most: 0 },
          modalities: ['text'],
        });

        const counted = Math.floor(prompt.mostTokens * shares.counted);
        const cacheRead = Math.floor(counted * shares.cached);
        const written =
          ttl === undefined && !writesUnasked ? 0 : Math.floor((counted - cacheRead) * shares.written);
        const completion = Math.floor(limit * shares.answered);
        const usage = {
          prompt: counted,
          completion,
          cacheRead,
          cacheWrite: written,
          cacheWriteHour: ttl === '1h' ? written : 0,
          reasoning: Math.floor(completion * shares.thought),
        };
        jest.setSystemTime(startedAtMs + lastsMs);
        const { cost } = billTokens(target, prompt, {
          usage,
          isEstimated: false,
          outputModalities: made,
          servedTier: served,
        });
        expect(mostFixed! + output!.most!).toBeGreaterThanOrEqual(cost.totalNanos);
      },
    ),
    { numRuns: 1_000 },
  );
});
