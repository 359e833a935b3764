import { describe, expect, test } from '@jest/globals';
import { readExtracts } from '../../dev/catalog/read-extracts.ts';
import { pricesUnder } from '../../domain/catalog/price-conditions.ts';
import { costOfTokens } from '../../domain/catalog/token-price.ts';
import type { TokenPricing } from '../../domain/catalog/token-pricing.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';
import { readPriceSource } from '../../services/catalog/price-sources/read-price-source.ts';
import { indexModels, type SourcePricing } from '../../services/catalog/price-sources/source-model.ts';

const extracts = readExtracts();
const endpoints = bundledCatalogs().flatMap((catalog) => catalog.liveEndpoints);

const START = Date.parse('2026-11-28T12:00:00Z');

/** Returns dollars a million tokens of what the whole request costs at this length and moment. */
function rates(
  pricing: SourcePricing | TokenPricing,
  promptTokens: number,
  startedAtMs = START,
): Record<string, number> {
  const complete = { prompt: '0', completion: '0', ...pricing };
  const prices = pricesUnder(complete, {
    promptTokens: [promptTokens, promptTokens],
    startedAtMs,
    endedAtMs: [startedAtMs, startedAtMs],
  });
  return Object.fromEntries(
    Object.entries(prices).flatMap(([name, price]) =>
      typeof price === 'string' ? [[name, Number((Number(price) * 1e6).toPrecision(9))]] : [],
    ),
  );
}

function shipped(id: string): TokenPricing {
  const endpoint = endpoints.find(({ modelId }) => modelId === id);
  if (endpoint === undefined) throw new Error(`${id} is not shipped`);
  return endpoint.pricing;
}

function sourced(extract: keyof typeof extracts, provider: string, name: string): SourcePricing {
  const model = extracts[extract].find(provider, name);
  if (model === undefined) throw new Error(`${name} is not in the extract`);
  return model.pricing;
}

describe('what vendors state about prices', () => {
  const STEPPED =
    'gpt-5.4 gpt-5.5 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-6-astra gpt-6-sol gpt-6-luna gpt-6.1-sol gpt-6.1-terra'.split(
      ' ',
    );

  test.each(STEPPED)(
    'holds for openai/%s: above 272,000 tokens twice the input and caches, 1.5 times the output',
    (name) => {
      const [short, long] = [272_000, 272_001].map((length) => rates(shipped(`openai/${name}`), length));
      const factors = Object.fromEntries(
        Object.keys(short ?? {}).map((key) => [key, (long?.[key] ?? NaN) / (short?.[key] ?? NaN)]),
      );
      const { completion, ...inputs } = factors;
      expect(completion).toBeCloseTo(1.5, 9);
      for (const factor of Object.values(inputs)) expect(factor).toBeCloseTo(2, 9);
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(['prompt', 'inputCacheRead']));
    },
  );

  test('bills a whole request of 272,001 tokens by the prices of long prompts, cached ones included', () => {
    const usage = (prompt: number): TokenUsage => ({
      prompt,
      completion: 1000,
      cacheRead: 100_000,
      cacheWrite: 50_000,
    });
    const costOf = (prompt: number): bigint => {
      const circumstances = {
        promptTokens: [prompt, prompt] as const,
        startedAtMs: START,
        endedAtMs: [START, START] as const,
      };
      return costOfTokens(pricesUnder(shipped('openai/gpt-6.1-sol'), circumstances), usage(prompt))
        .totalNanos;
    };
    // 122,000 × 2 + 100,000 × 0.1 + 50,000 × 2.5 + 1,000 × 10 dollars a million.
    expect(costOf(272_000)).toBe(389_000_000n);
    // 122,001 × 4 + 100,000 × 0.2 + 50,000 × 5 + 1,000 × 15.
    expect(costOf(272_001)).toBe(773_004_000n);
  });

  test.each(['gemini-3.1-pro-preview', 'gemini-3-pro-preview'])(
    'holds for %s of genai-prices: 2 and 12, above 200,000 tokens 4 and 18',
    (name) => {
      const pricing = sourced('genai-prices', 'google', name);
      expect(rates(pricing, 200_000)).toMatchObject({ prompt: 2, completion: 12 });
      expect(rates(pricing, 200_001)).toMatchObject({ prompt: 4, completion: 18 });
    },
  );

  test('holds for grok-4.5 of LiteLLM: twice the prices above 200,000 tokens', () => {
    const pricing = sourced('litellm', 'xai', 'grok-4.5');
    expect(rates(pricing, 200_000)).toMatchObject({ prompt: 2, completion: 6 });
    expect(rates(pricing, 200_001)).toMatchObject({ prompt: 4, completion: 12 });
  });

  test('holds for MiniMax M3: twice the prices above 512,000 tokens', () => {
    for (const pricing of [
      sourced('genai-prices', 'minimax', 'minimax-m3'),
      sourced('litellm', 'minimax', 'MiniMax-M3'),
    ]) {
      expect(rates(pricing, 512_000)).toMatchObject({ prompt: 0.3, completion: 1.2, inputCacheRead: 0.06 });
      expect(rates(pricing, 512_001)).toMatchObject({ prompt: 0.6, completion: 2.4, inputCacheRead: 0.12 });
    }
  });

  test.each(
    endpoints
      .map(({ modelId }) => modelId)
      .filter((id) => id.startsWith('anthropic/') && !id.endsWith('haiku-5.5')),
  )('holds for %s: one price at any length', (id) => {
    expect(rates(shipped(id), 1_000_000)).toEqual(rates(shipped(id), 1));
  });

  test('holds for Claude Haiku 5.5: five times the prices above 100,000 tokens', () => {
    const short = {
      prompt: 0.1,
      completion: 0.5,
      inputCacheRead: 0.01,
      inputCacheWrite: 0.125,
      inputCacheWriteHour: 0.2,
    };
    const long = {
      prompt: 0.5,
      completion: 2.5,
      inputCacheRead: 0.05,
      inputCacheWrite: 0.625,
      inputCacheWriteHour: 1,
    };
    expect(rates(shipped('anthropic/claude-haiku-5.5'), 100_000)).toEqual(short);
    expect(rates(shipped('anthropic/claude-haiku-5.5'), 100_001)).toEqual(long);
  });

  test('holds for Claude Sonnet 4.6 as it was: a step at 200,000 tokens until 2026-03-13', () => {
    const find = (day: string) =>
      indexModels(readPriceSource(extracts['genai-prices'].data, new Date(day)).models)(
        'anthropic',
        'claude-sonnet-4-6',
      )?.pricing ?? { overrides: [] };
    const before = find('2026-03-12');
    const [day, nextDay] = ['2026-03-12T23:59:59Z', '2026-03-13T00:00:00Z'].map((text) => Date.parse(text));
    expect(rates(before, 200_000, day)).toMatchObject({ prompt: 3, completion: 15 });
    expect(rates(before, 200_001, day)).toMatchObject({ prompt: 6, completion: 22.5 });
    expect(rates(before, 1, nextDay)).toMatchObject({ prompt: 3, completion: 15 });
    expect(rates(find('2026-03-13'), 200_001)).toMatchObject({ prompt: 3, completion: 15 });
  });

  test('holds for Gemini 3.8 Flash: 0.75 and 3.75 until 2026-12-31, then 1.50 and 7.50', () => {
    const pricing = sourced('genai-prices', 'google', 'gemini-3.8-flash');
    expect(rates(pricing, 1, Date.parse('2026-12-31T23:59:59.999Z'))).toMatchObject({
      prompt: 0.75,
      completion: 3.75,
    });
    expect(rates(pricing, 1, Date.parse('2027-01-01T00:00:00Z'))).toMatchObject({
      prompt: 1.5,
      completion: 7.5,
    });
  });

  test('holds for Gemini 2.5 Flash: 0.30 for text and 1.00 for sound', () => {
    expect(rates(sourced('genai-prices', 'google', 'gemini-2.5-flash'), 1)).toMatchObject({
      prompt: 0.3,
      audio: 1,
    });
  });
});
