import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pricesUnder } from '../../../domain/catalog/price-conditions.ts';
import type { Circumstances } from '../../../domain/catalog/price-verdict.ts';
import { parsePrice } from '../../../domain/catalog/token-price.ts';
import {
  PRICE_INSTEAD,
  PRICE_NAMES,
  type PriceOverride,
  type TokenPrices,
  type TokenPricing,
  WEEKDAYS,
} from '../../../domain/catalog/token-pricing.ts';
import type { Modality } from '../../../domain/modality.ts';

const BASE = { prompt: '1', completion: '5' };
/** A Saturday. */
const NOON = Date.parse('2026-11-28T12:00:00Z');
const HOUR_MS = 3_600_000;

function under(overrides: PriceOverride[], change: Partial<Circumstances> = {}): TokenPrices {
  return pricesUnder(
    { ...BASE, overrides },
    { promptTokens: [10, 10], startedAtMs: NOON, endedAtMs: [NOON, NOON], ...change },
  );
}

const dear = { prompt: '2' };

describe('prices under conditions', () => {
  test('stay those of the endpoint when it has no entries', () => {
    expect(pricesUnder(BASE, { promptTokens: [1, 1], startedAtMs: 0, endedAtMs: [0, 0] })).toBe(BASE);
  });

  test.each<[string, PriceOverride, Partial<Circumstances>, boolean]>([
    ['a prompt at the edge', { minPromptTokens: 272_000 }, { promptTokens: [272_000, 272_000] }, false],
    ['a prompt beyond the edge', { minPromptTokens: 272_000 }, { promptTokens: [272_001, 272_001] }, true],
    ['the first minute of a window', { utcStart: 1200, utcEnd: 1230 }, {}, true],
    ['the end of a window', { utcStart: 1130, utcEnd: 1200 }, {}, false],
    ['a window past midnight', { utcStart: 2200, utcEnd: 1201 }, {}, true],
    ['the time before a window past midnight', { utcStart: 2200, utcEnd: 1200 }, {}, false],
    ['a listed day', { utcDays: ['saturday'] }, {}, true],
    ['another day', { utcDays: ['sunday', 'friday'] }, {}, false],
    ['a window on another day', { utcStart: 0, utcEnd: 2359, utcDays: ['monday'] }, {}, false],
    [
      'the start of a request that ends in the window',
      { utcStart: 1300, utcEnd: 1400 },
      { endedAtMs: [NOON + HOUR_MS, NOON + HOUR_MS] },
      false,
    ],
    [
      'the end of a request, where it decides',
      { utcStart: 1300, utcEnd: 1400, utcMoment: 'end' },
      { endedAtMs: [NOON + HOUR_MS, NOON + HOUR_MS] },
      true,
    ],
    ['the same tier', { serviceTier: 'flex' }, { serviceTier: 'flex' }, true],
    ['another tier', { serviceTier: 'flex' }, { serviceTier: 'priority' }, false],
    ['the standard tier', { serviceTier: 'flex' }, {}, false],
    ['a prompt with sound', { inputModality: 'audio' }, { inputModalities: ['text', 'audio'] }, true],
    ['a prompt without sound', { inputModality: 'audio' }, { inputModalities: ['text'] }, false],
    ['an answer with a picture', { outputModality: 'image' }, { outputModalities: ['image'] }, true],
    ['an answer without a picture', { outputModality: 'image' }, {}, false],
    ['the first instant of a price', { validFrom: '2026-11-28T12:00:00Z' }, {}, true],
    ['the time before a price', { validFrom: '2026-11-28T12:00:00.001Z' }, {}, false],
    ['a date', { validFrom: '2026-11-28' }, {}, true],
    ['one condition of two', { serviceTier: 'flex', minPromptTokens: 5 }, { promptTokens: [6, 6] }, false],
  ])('follow the entry for %s only if it holds', (_case, conditions, circumstances, applies) => {
    expect(under([{ ...conditions, ...dear }], circumstances)).toEqual(applies ? { ...BASE, ...dear } : BASE);
  });

  test('come from the last of several entries that hold, each price by itself', () => {
    const entries = [
      { minPromptTokens: 1, prompt: '2', completion: '6', inputCacheRead: '0.2' },
      { minPromptTokens: 5, prompt: '3' },
      { minPromptTokens: 50, prompt: '4' },
    ];
    expect(under(entries)).toEqual({ prompt: '3', completion: '6', inputCacheRead: '0.2' });
  });

  test('take the higher amount while it is open whether an entry holds', () => {
    const cheap = { minPromptTokens: 5, prompt: '0.5', completion: '9', inputCacheRead: '0.1' };
    // Without the entry, a cached token costs as much as another.
    expect(under([cheap], { promptTokens: [0, 10] })).toEqual({
      prompt: '1',
      completion: '9',
      inputCacheRead: '1',
    });
  });

  test('take the higher amount while the modalities of the answer are open', () => {
    const entries = [{ outputModality: 'image' as const, prompt: '0.5', completion: '9' }];
    expect(under(entries, { possibleModalities: ['image'] })).toEqual({ prompt: '1', completion: '9' });
  });

  test('include a window that a request can reach before it ends', () => {
    const entry = { utcStart: 1259, utcEnd: 1300, utcMoment: 'end' as const, prompt: '2' };
    expect(under([entry], { endedAtMs: [NOON, NOON + HOUR_MS] }).prompt).toBe('2');
    expect(under([entry], { endedAtMs: [NOON, NOON + HOUR_MS - 61_000] }).prompt).toBe('1');
  });

  test('change at midnight of UTC with the day', () => {
    const entry = { utcDays: ['sunday' as const], utcMoment: 'end' as const, prompt: '2' };
    const midnight = Date.parse('2026-11-29T00:00:00Z');
    expect(under([entry], { endedAtMs: [midnight - 1, midnight - 1] }).prompt).toBe('1');
    expect(under([entry], { endedAtMs: [midnight, midnight] }).prompt).toBe('2');
    expect(under([entry], { endedAtMs: [NOON, midnight] }).prompt).toBe('2');
  });
});

const price = fc.integer({ min: 0, max: 40 }).map((cents) => (cents / 100).toString());
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([h, m]) => h * 100 + m);
const modality = fc.constantFrom<Modality>('text', 'image', 'audio');
const instant = fc.integer({ min: NOON - 200 * HOUR_MS, max: NOON + 200 * HOUR_MS });

const override: fc.Arbitrary<PriceOverride> = fc
  .record(
    {
      minPromptTokens: fc.integer({ min: 1, max: 30 }),
      window: fc.tuple(clock, clock).filter(([start, end]) => start !== end),
      utcDays: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
      utcMoment: fc.constantFrom('start' as const, 'end' as const),
      serviceTier: fc.constantFrom('flex', 'priority'),
      inputModality: modality,
      outputModality: modality,
      validFrom: instant.map((ms) => new Date(ms).toISOString()),
      prompt: price,
      completion: price,
      inputCacheRead: price,
      inputCacheWriteHour: price,
      internalReasoning: price,
    },
    { requiredKeys: [] },
  )
  .map(({ window, ...entry }) => ({
    ...entry,
    ...(window === undefined ? {} : { utcStart: window[0], utcEnd: window[1] }),
  }));

const pricing: fc.Arbitrary<TokenPricing> = fc.record(
  {
    prompt: price,
    completion: price,
    inputCacheRead: price,
    inputCacheWrite: price,
    overrides: fc.array(override, { maxLength: 5 }),
  },
  { requiredKeys: ['prompt', 'completion', 'overrides'] },
);

const known = fc.record({
  tokens: fc.integer({ min: 0, max: 40 }),
  startedAtMs: instant,
  lastsMs: fc.integer({ min: 0, max: 30 * HOUR_MS }),
  serviceTier: fc.option(fc.constantFrom('flex', 'priority'), { nil: undefined }),
  inputModalities: fc.uniqueArray(modality),
  outputModalities: fc.uniqueArray(modality),
});

/** Reads the conditions once more, one minute and one price at a time. */
function naive(
  { overrides = [], ...base }: TokenPricing,
  facts: typeof known extends fc.Arbitrary<infer T> ? T : never,
) {
  const { outputImages: _variants, ...plain } = base;
  const prices: Record<string, string> = { ...plain };
  for (const entry of overrides) {
    const at = new Date(entry.utcMoment === 'end' ? facts.startedAtMs + facts.lastsMs : facts.startedAtMs);
    const time = at.getUTCHours() * 100 + at.getUTCMinutes();
    const { utcStart: start, utcEnd: end } = entry;
    const isInWindow =
      start === undefined || end === undefined
        ? true
        : start < end
          ? start <= time && time < end
          : !(end <= time && time < start);
    const holds = [
      entry.minPromptTokens === undefined || facts.tokens > entry.minPromptTokens,
      isInWindow,
      entry.utcDays === undefined || entry.utcDays.includes(WEEKDAYS[at.getUTCDay()]!),
      entry.serviceTier === undefined || entry.serviceTier === facts.serviceTier,
      entry.inputModality === undefined || facts.inputModalities.includes(entry.inputModality),
      entry.outputModality === undefined || facts.outputModalities.includes(entry.outputModality),
      entry.validFrom === undefined || new Date(facts.startedAtMs) >= new Date(entry.validFrom),
    ];
    if (holds.every(Boolean))
      for (const name of PRICE_NAMES) if (entry[name] !== undefined) prices[name] = entry[name];
  }
  return prices;
}

function rate(prices: Partial<Record<string, string>>, name: keyof TokenPrices): bigint {
  const own = prices[name];
  if (own !== undefined) return parsePrice(own);
  const instead = PRICE_INSTEAD[name];
  return instead === undefined ? 0n : rate(prices, instead);
}

describe('prices under conditions, of any entries and requests', () => {
  test('equal those of a naive reading', () => {
    fc.assert(
      fc.property(pricing, known, (table, facts) => {
        const { tokens, startedAtMs, lastsMs, ...rest } = facts;
        const end = startedAtMs + lastsMs;
        const prices = pricesUnder(table, {
          ...rest,
          promptTokens: [tokens, tokens],
          startedAtMs,
          endedAtMs: [end, end],
        });
        const { overrides: _, ...plain } = prices as TokenPricing;
        expect(plain).toEqual(naive(table, facts));
      }),
      { numRuns: 500 },
    );
  });

  test('never fall short of the end in advance', () => {
    fc.assert(
      fc.property(pricing, known, fc.nat(20), fc.nat(10 * HOUR_MS), (table, facts, more, moreMs) => {
        const { tokens, startedAtMs, lastsMs, ...rest } = facts;
        const end = startedAtMs + lastsMs;
        const before = pricesUnder(table, {
          ...rest,
          outputModalities: [],
          possibleModalities: ['text', 'image', 'audio'],
          promptTokens: [0, tokens + more],
          startedAtMs,
          endedAtMs: [startedAtMs, end + moreMs],
        });
        const after = naive(table, facts);
        for (const name of PRICE_NAMES)
          expect(rate({ ...before }, name)).toBeGreaterThanOrEqual(rate(after, name));
      }),
      { numRuns: 500 },
    );
  });
});
