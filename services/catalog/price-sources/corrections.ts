/** Corrects what public price sources have wrong, or have in a form that a catalog cannot use. */
import type { TokenPrices } from '../../../domain/catalog/token-pricing.ts';
import type { PriceSource, PriceSourceName } from './read-price-source.ts';
import type { SourceModel, SourcePricing } from './source-model.ts';

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
];

/** Returns the source with all its corrections, and those that changed something. */
export function correctSource(source: PriceSource): { source: PriceSource; used: PriceCorrection[] } {
  const used = new Set<PriceCorrection>();
  const models = source.models.map((model) => {
    const corrections = CORRECTIONS.filter((correction) => concerns(correction, source, model));
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

function correct(pricing: SourcePricing, { step, prices = {} }: PriceCorrection): SourcePricing {
  const corrected = { ...pricing, overrides: pricing.overrides.map((entry) => ({ ...entry })) };
  for (const entry of corrected.overrides) {
    if (step !== undefined && entry.minPromptTokens === step.from) entry.minPromptTokens = step.to;
  }
  for (const [name, price] of Object.entries(prices) as [keyof TokenPrices, string | null][]) {
    if (price === null) delete corrected[name];
    else corrected[name] = price;
  }
  return corrected;
}
