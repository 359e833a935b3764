/**
 * Compares the bill of a chat with the cost of its tokens at the first prices of the endpoint, as it was computed
 * before prices had conditions. Prints the median of the rounds, in microseconds a bill.
 */
import { costOfTokens } from '../../domain/catalog/token-price.ts';
import type { TokenPricing } from '../../domain/catalog/token-pricing.ts';
import type { Target } from '../../domain/routing/routing.ts';
import { measurePrompt } from '../../services/live/prompt/measure-prompt.ts';
import { billTokens } from '../../services/live/prompt/token-bill.ts';
import { median, renderTable } from '../table.ts';

const ROUNDS = 15;
const BILLS = 200_000;
const BARS = { 'without conditions': 0.2, 'with conditions': 1 };

const PLAIN: TokenPricing = { prompt: '0.000002', completion: '0.00001', inputCacheRead: '0.0000002' };
const STEPS: TokenPricing = {
  ...PLAIN,
  overrides: [
    { minPromptTokens: 272_000, prompt: '0.000004', completion: '0.000015', inputCacheRead: '0.0000004' },
    { serviceTier: 'flex', prompt: '0.000001', completion: '0.000005' },
    { utcStart: 1630, utcEnd: 30, utcMoment: 'end', prompt: '0.0000015' },
    { validFrom: '2027-01-01', completion: '0.00002' },
  ],
};

const usage = { prompt: 1_200, completion: 300, cacheRead: 1_000 };
const prompt = measurePrompt({ messages: [{ role: 'user', content: 'Hello' }] });

function targetOf(pricing: TokenPricing): Target {
  return { endpoint: { pricing }, model: {} } as Target;
}

const SIDES: Record<string, () => unknown> = {
  before: () => costOfTokens(PLAIN, usage, 0),
  'without conditions': billWith(PLAIN),
  'with conditions': billWith(STEPS),
};

function billWith(pricing: TokenPricing): () => unknown {
  const target = targetOf(pricing);
  const answer = { usage, isEstimated: false, outputModalities: ['text' as const], servedTier: 'default' };
  return () => billTokens(target, prompt, answer);
}

const times: Record<string, number[]> = Object.fromEntries(Object.keys(SIDES).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, bill] of Object.entries(SIDES)) {
    const startedAtMs = performance.now();
    for (let n = 0; n < BILLS; n += 1) bill();
    times[name]!.push(((performance.now() - startedAtMs) * 1_000) / BILLS);
  }
}

const [before = 0, ...others] = Object.values(times).map(median);
const rows = Object.entries(BARS).map(([name, bar], index) => {
  const more = others[index]! - before;
  return [
    name,
    before.toFixed(2),
    others[index]!.toFixed(2),
    more.toFixed(2),
    bar.toFixed(1),
    more <= bar ? 'yes' : 'no',
  ];
});
console.log(renderTable(['prices', 'before, µs', 'bill, µs', 'more, µs', 'bar, µs', 'met'], rows));
