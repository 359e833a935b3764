/** Divides the cost of a generation among its kinds of tokens and media. */
import type { TokenPrices, TokenPricing } from '../catalog/token-pricing.ts';
import type { TokenUsage } from '../token-usage.ts';
import { attosOfMedia, type MediaUsage } from '../catalog/media-price.ts';
import { attosOfCalls, type PricedCalls } from '../catalog/priced-calls.ts';
import { type AttosByKind, toNanos } from '../catalog/token-price.ts';
import type { CostParts } from './broadcast-facts.ts';

/** The usage of a generation that its price depends on. */
interface PricedUsage {
  /** Null for kinds without tokens. */
  usage: TokenUsage | null;
  /** The number of pictures in the prompt. */
  images?: number | undefined;
  media?: MediaUsage | undefined;
  /** The calls that add up to the usage, where they have different prices. */
  calls?: PricedCalls | undefined;
}

/**
 * Kinds of tokens with a cost part of their own if one of these prices is set; otherwise they count to prompt or
 * completion.
 */
const OWN_PARTS: readonly {
  kind: keyof AttosByKind;
  prices: readonly (keyof TokenPrices)[];
  part: keyof CostParts;
  otherwise: 'prompt' | 'completion';
}[] = [
  {
    kind: 'cacheRead',
    prices: ['inputCacheRead', 'inputAudioCache'],
    part: 'cacheRead',
    otherwise: 'prompt',
  },
  {
    kind: 'cacheWrite',
    prices: ['inputCacheWrite', 'inputCacheWriteHour'],
    part: 'cacheWrite',
    otherwise: 'prompt',
  },
  { kind: 'promptAudio', prices: ['audio'], part: 'media', otherwise: 'prompt' },
  { kind: 'promptImage', prices: ['imageInput'], part: 'media', otherwise: 'prompt' },
  { kind: 'promptVideo', prices: ['videoInput'], part: 'media', otherwise: 'prompt' },
  { kind: 'reasoning', prices: ['internalReasoning'], part: 'reasoning', otherwise: 'completion' },
  { kind: 'completionImage', prices: ['imageOutput'], part: 'media', otherwise: 'completion' },
  { kind: 'completionAudio', prices: ['audioOutput'], part: 'media', otherwise: 'completion' },
];

const NO_TOKENS: TokenUsage = { prompt: 0, completion: 0 };

/**
 * Returns the cost of each kind that has a price of its own. Each part is the difference of two rounded sums, so the
 * parts add up to the total, which is rounded once. Prompt and completion are present if tokens are counted; other
 * parts if they cost something.
 */
export function costPartsOf(
  pricing: TokenPricing,
  { usage, images = 0, media = {}, calls }: PricedUsage,
): CostParts {
  const priced: PricedCalls = calls ?? [{ prices: pricing, usage: usage ?? NO_TOKENS }];
  const kinds = attosOfCalls(priced, images);
  const beside = attosOfMedia(pricing, media);
  const attos: Record<keyof CostParts, bigint> = {
    prompt: kinds.prompt,
    completion: kinds.completion,
    cacheRead: 0n,
    cacheWrite: 0n,
    reasoning: 0n,
    request: kinds.request,
    media: kinds.images + beside.prompt + beside.completion,
  };
  for (const { kind, prices, part, otherwise } of OWN_PARTS) {
    const hasOwnPrice = priced.some((call) => prices.some((price) => call.prices[price] !== undefined));
    attos[hasOwnPrice ? part : otherwise] += kinds[kind];
  }
  const parts: CostParts = {};
  let sum = 0n;
  for (const [part, amount] of Object.entries(attos) as [keyof CostParts, bigint][]) {
    const nanos = toNanos(sum + amount) - toNanos(sum);
    sum += amount;
    const isCounted = usage !== null && (part === 'prompt' || part === 'completion');
    if (isCounted || nanos > 0n) parts[part] = nanos;
  }
  return parts;
}
