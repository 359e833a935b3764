/** Corrects what public price sources have wrong, or have in a form that a catalog cannot use. */
import { formatPrice, parsePrice } from '../../../domain/catalog/token-price.ts';
import type { PriceOverride, TokenPrices } from '../../../domain/catalog/token-pricing.ts';
import { byPrecedence } from './entry-order.ts';
import type { PriceSource, PriceSourceName } from './read-price-source.ts';
import type { SourceModel, SourcePricing } from './source-model.ts';
import { splitOverride } from './split-override.ts';

export interface PriceCorrection {
  /** Absent: all sources. */
  source?: PriceSourceName;
  provider: string;
  /** The vendor's names of the models. */
  models: string[];
  /** Moves a step to another length of the prompt. */
  step?: { from: number; to: number };
  /** Replaces prices that hold without a condition; null removes one. */
  prices?: Partial<Record<keyof TokenPrices, string | null>>;
  /** Doubles all prices, also those of tiers, from this day on. */
  doubledFrom?: string;
  /** Ignores what the source says of these models. */
  ignored?: true;
  reason: string;
  /** The vendor's page that decides, or a text that quotes it. */
  page: string;
}

/** All corrections. Where sources disagree, the vendor's page decides. */
export const CORRECTIONS: PriceCorrection[] = [
  {
    source: 'genai-prices',
    provider: 'openai',
    models: [
      'gpt-5.4',
      'gpt-5.4-pro',
      'gpt-5.5',
      'gpt-5.5-pro',
      'gpt-5.6-luna',
      'gpt-5.6-sol',
      'gpt-5.6-terra',
      'gpt-6-astra',
    ],
    step: { from: 271_999, to: 272_000 },
    reason: 'The higher prices hold above 272,000 tokens; a prompt of exactly 272,000 costs the lower ones.',
    // Quotes OpenAI's page of the models, which was not read itself.
    page: 'https://github.com/pydantic/genai-prices/issues/711',
  },
  {
    source: 'genai-prices',
    provider: 'xai',
    models: ['grok-4.5', 'grok-4.6'],
    step: { from: 199_999, to: 200_000 },
    reason: 'The higher prices hold above 200,000 tokens; a prompt of exactly 200,000 costs the lower ones.',
    // Perplexity resells the model at the vendor's prices; xAI's own page was not read.
    page: 'https://docs.perplexity.ai/docs/gateway/models',
  },
  {
    provider: 'openai',
    models: ['gpt-4o-mini-tts'],
    prices: { completion: '0', audioOutput: null, outputSecond: '0.00025' },
    reason: "Answers do not count their tokens, so sound costs the vendor's own estimate of $0.015 a minute.",
    page: 'https://developers.openai.com/api/docs/pricing',
  },
  {
    source: 'genai-prices',
    provider: 'deepseek',
    models: ['deepseek-v4-flash', 'deepseek-v4-pro'],
    ignored: true,
    reason:
      'Prices are higher from Monday to Friday only, and lower since September; the source has neither.',
    page: 'https://api-docs.deepseek.com/quick_start/pricing',
  },
  ...['google', 'google-vertex'].flatMap(correctionsOfGemini),
];

/** Returns the corrections of Gemini's prices at one of its providers. */
function correctionsOfGemini(provider: string): PriceCorrection[] {
  return [
    {
      source: 'litellm',
      provider,
      models: ['gemini-4-argon'],
      doubledFrom: '2026-12-01',
      reason: 'The prices until 2026-11-30 are introductory ones, and the source has no dates.',
      page: 'https://ai.google.dev/gemini-api/docs/generate-content/latest-model',
    },
    {
      source: 'litellm',
      provider,
      models: ['gemini-3.6-flash', 'gemini-3.8-flash'],
      doubledFrom: '2027-01-01',
      reason: 'The prices until 2026-12-31 are introductory ones, and the source has no dates.',
      // The other source has the date for the standard tier; those of flex and priority are shares of it.
      page: 'https://ai.google.dev/gemini-api/docs/pricing',
    },
    {
      source: 'litellm',
      provider,
      models: ['gemini-3.8-flash-tts', 'gemini-3.8-flash-lite-tts'],
      doubledFrom: '2027-01-01',
      reason: 'The prices until 2026-12-31 are introductory ones, and the source has no dates.',
      page: 'https://github.com/BerriAI/litellm/discussions/42776',
    },
    {
      source: 'litellm',
      provider,
      models: ['gemini-nano-banana-2.1', 'gemini-3-pro-image', 'gemini-3.1-flash-lite-image'],
      prices: { outputImage: null },
      reason: 'The price of a picture is that of its tokens, which the source states as well.',
      page: 'https://ai.google.dev/gemini-api/docs/pricing',
    },
  ];
}

/** Returns the source with all its corrections, and those that changed something. */
export function correctSource(source: PriceSource): { source: PriceSource; used: PriceCorrection[] } {
  const used = new Set<PriceCorrection>();
  const models = source.models.flatMap((model) => {
    const corrections = CORRECTIONS.filter((correction) => concerns(correction, source, model));
    const ignoring = corrections.find(({ ignored }) => ignored);
    if (ignoring !== undefined) {
      used.add(ignoring);
      return [];
    }
    return corrections.reduce((current, correction) => {
      const pricing = correct(current.pricing, correction);
      if (JSON.stringify(pricing) === JSON.stringify(current.pricing)) return current;
      used.add(correction);
      return { ...current, pricing };
    }, model);
  });
  return { source: { ...source, models }, used: [...used] };
}

function concerns(
  { source: only, provider, models }: PriceCorrection,
  { name }: PriceSource,
  model: SourceModel,
): boolean {
  if (provider !== model.provider || (only !== undefined && only !== name)) return false;
  return models.some((id) => id === model.id || model.id.startsWith(`${id}-20`));
}

function correct(pricing: SourcePricing, { step, prices = {}, doubledFrom }: PriceCorrection): SourcePricing {
  const corrected = { ...pricing, overrides: pricing.overrides.map((entry) => ({ ...entry })) };
  for (const entry of corrected.overrides) {
    if (step !== undefined && entry.minPromptTokens === step.from) entry.minPromptTokens = step.to;
  }
  for (const [name, price] of Object.entries(prices) as [keyof TokenPrices, string | null][]) {
    if (price === null) delete corrected[name];
    else corrected[name] = price;
  }
  return doubledFrom === undefined ? corrected : withDoublePrices(corrected, doubledFrom);
}

function withDoublePrices(pricing: SourcePricing, validFrom: string): SourcePricing {
  const { overrides, ...base } = pricing;
  const later = [base, ...overrides].map((entry): PriceOverride => {
    const { conditions, prices } = splitOverride(entry);
    const doubled = Object.entries(prices).map(([name, price]) => [
      name,
      formatPrice(parsePrice(price) * 2n),
    ]);
    return { ...conditions, validFrom, ...Object.fromEntries(doubled) };
  });
  return { ...base, overrides: [...overrides, ...later].toSorted(byPrecedence) };
}
