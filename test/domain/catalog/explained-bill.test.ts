import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { explainBill } from '../../../domain/catalog/explained-bill.ts';
import { pricesUnder } from '../../../domain/catalog/price-conditions.ts';
import type { Circumstances } from '../../../domain/catalog/price-verdict.ts';
import { costOfTokens, toCost } from '../../../domain/catalog/token-price.ts';
import type { TokenPrices, TokenPricing } from '../../../domain/catalog/token-pricing.ts';

const NOON = Date.parse('2026-11-28T12:00:00Z');
const at = (promptTokens: number, serviceTier?: string): Circumstances => ({
  promptTokens: [promptTokens, promptTokens],
  startedAtMs: NOON,
  endedAtMs: [NOON, NOON],
  serviceTier,
});

describe('the lines of a bill', () => {
  const pricing: TokenPricing = {
    prompt: '0.000002',
    completion: '0.00001',
    inputCacheRead: '0.0000002',
    overrides: [
      { minPromptTokens: 272_000, prompt: '0.000004', completion: '0.000015' },
      { minPromptTokens: 272_000, inputCacheRead: '0.0000004' },
      { serviceTier: 'flex', prompt: '0.000001' },
    ],
  };
  const linesOf = (prompt: number, tier?: string) =>
    explainBill(
      pricing,
      { prompt, completion: 1_000, cacheRead: 100_000, reasoning: 400 },
      at(prompt, tier),
    ).map(({ kind, count, price, name, entry }) => [kind, count, price, name, entry]);

  test('name the prices beside the entries at the edge of a step', () => {
    expect(linesOf(272_000)).toEqual([
      ['prompt', 172_000, '0.000002', 'prompt', null],
      ['cached prompt', 100_000, '0.0000002', 'inputCacheRead', null],
      ['answer', 600, '0.00001', 'completion', null],
      ['thoughts', 400, '0.00001', 'completion', null],
    ]);
  });

  test('name the last entry that has the price, one token beyond the edge', () => {
    expect(linesOf(272_001, 'flex')).toEqual([
      ['prompt', 172_001, '0.000001', 'prompt', 2],
      ['cached prompt', 100_000, '0.0000004', 'inputCacheRead', 1],
      ['answer', 600, '0.000015', 'completion', 0],
      ['thoughts', 400, '0.000015', 'completion', 0],
    ]);
  });

  test('have the price of the request and those of cache writes', () => {
    const lines = explainBill(
      { prompt: '0.1', completion: '0.2', request: '3', inputCacheWrite: '0.4' },
      { prompt: 10, completion: 0, cacheWrite: 7, cacheWriteHour: 2 },
      at(10),
    );
    expect(lines.map(({ kind, count, name }) => [kind, count, name])).toEqual([
      ['prompt', 3, 'prompt'],
      ['cache write, 5 minutes', 5, 'inputCacheWrite'],
      ['cache write, 1 hour', 2, 'inputCacheWrite'],
      ['request', 1, 'request'],
    ]);
  });

  const price = fc.integer({ min: 0, max: 999 }).map((n) => `0.0000${String(n).padStart(3, '0')}`);
  const NAMES = ['inputCacheRead', 'inputCacheWrite', 'inputCacheWriteHour', 'internalReasoning', 'request'];
  const optional = Object.fromEntries(NAMES.map((name) => [name, price]));
  const prices = fc.record(
    { prompt: price, completion: price, ...optional },
    {
      requiredKeys: ['prompt', 'completion'],
    },
  ) as fc.Arbitrary<TokenPrices>;
  const entry = fc.record(
    {
      minPromptTokens: fc.integer({ min: 0, max: 300 }),
      serviceTier: fc.constantFrom('flex', 'priority'),
      prompt: price,
      completion: price,
      ...optional,
    },
    { requiredKeys: [] },
  );
  const usage = fc
    .tuple(...[100, 100, 100, 100, 100, 100].map((max) => fc.nat({ max })))
    .map(([plain = 0, cacheRead = 0, minutes = 0, hour = 0, answer = 0, reasoning = 0]) => ({
      prompt: plain + cacheRead + minutes + hour,
      completion: answer + reasoning,
      cacheRead,
      cacheWrite: minutes + hour,
      cacheWriteHour: hour,
      reasoning,
    }));

  test('add up to what the request is billed, for any prices and tokens', () => {
    fc.assert(
      fc.property(
        prices,
        fc.array(entry, { maxLength: 6 }),
        usage,
        fc.constantFrom(undefined, 'flex', 'priority'),
        (base, overrides, counted, tier) => {
          const table = { ...base, overrides };
          const circumstances = at(counted.prompt, tier);
          const lines = explainBill(table, counted, circumstances);
          const sum = lines.reduce((attos, line) => attos + line.attos, 0n);
          const billed = costOfTokens(pricesUnder(table, circumstances), counted);
          expect(toCost({ prompt: sum, completion: 0n }).totalNanos).toBe(billed.totalNanos);
        },
      ),
    );
  });
});
