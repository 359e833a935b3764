/** Computes how much of the caller's money a prompt may cost at a target. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import { costOfTokens } from '../../../domain/catalog/token-price.ts';
import type { TokenPrices } from '../../../domain/catalog/token-pricing.ts';
import type { Modality } from '../../../domain/modality.ts';
import { finalPrices, highestPrices } from '../applicable-prices.ts';
import { TOKENS_PER_MEDIUM } from './media-tokens.ts';
import type { CacheWrite, PromptFacts } from './prompt-facts.ts';

/**
 * The tokens that are reserved for a picture when the catalog has no number. Vendors scale larger pictures down to
 * about this number.
 */
const TOKENS_PER_IMAGE = 2_000;

/**
 * The context length that is assumed when the catalog names none. A medium of unknown length reserves a whole
 * context.
 */
const DEFAULT_CONTEXT = 128_000;

/** Returns how many tokens are reserved for pictures in addition to the prompt's estimate. */
export function reservedForImages(
  { tokensPerImage = TOKENS_PER_IMAGE }: LiveEndpoint,
  images: number,
): number {
  return images * (tokensPerImage - TOKENS_PER_MEDIUM);
}

/** Returns the amount to reserve for a prompt at a target, before its tokens were counted. */
export function costOfPrompt(target: Target, facts: PromptFacts, prices: TokenPrices): Nanos {
  const { endpoint } = target;
  const { reserved, images, cacheWrite, modalities } = facts;
  const context = contextOf(target) ?? DEFAULT_CONTEXT;
  const promptAudio = Math.min(reserved.audio, context);
  const promptImage = tokensOfImages(endpoint, images);
  const others = reserved.text + Math.min(reserved.media, context);
  const prompt = { promptAudio, promptImage, prompt: others + promptAudio + promptImage, completion: 0 };
  const usages: TokenUsage[] = cachingsOf(endpoint, cacheWrite, others).map((cached) => ({
    ...prompt,
    ...cached,
  }));
  if (hasVideo(modalities)) {
    const promptVideo = Math.min(reserved.media, context);
    usages.push({ ...prompt, promptVideo, ...writesOf(cacheWrite, reserved.text) });
  }
  return highestCost(prices, usages, images) * readingsOf(facts);
}

/**
 * Returns the highest possible cost of a prompt at a target: a token for each byte, or for a prompt with compressed
 * media a whole context. It is not more than the context holds, because vendors refuse longer prompts.
 */
export function mostCostOfPrompt(target: Target, prompt: PromptFacts, prices: TokenPrices): Nanos {
  const { endpoint } = target;
  const { images, cacheWrite, reserved, modalities } = prompt;
  const promptImage = tokensOfImages(endpoint, images);
  const tokens = mostTokens(target, prompt);
  const all = { promptImage, prompt: tokens + promptImage, completion: 0 };
  const usages: TokenUsage[] = cachingsOf(endpoint, cacheWrite, tokens).map((cached) => ({
    ...all,
    ...cached,
  }));
  if (reserved.audio > 0) usages.push({ ...all, promptAudio: tokens });
  if (hasVideo(modalities)) usages.push({ ...all, promptVideo: tokens });
  const most = highestCost(prices, usages, images) * readingsOf(prompt);
  const least = costOfPrompt(target, prompt, prices);
  return most > least ? most : least;
}

/**
 * Returns the highest prices that a request can reach at a target. Its prompt may have any length up to a token for
 * each byte. Its answer may have what the request asks for, and what the model makes unasked.
 */
export function pricesToReserve(
  target: Target,
  prompt: PromptFacts,
  requestedModalities: readonly Modality[],
): TokenPrices {
  const { endpoint, model } = target;
  if (endpoint.pricing.overrides === undefined) return endpoint.pricing;
  const most = mostTokens(target, prompt) + tokensOfImages(endpoint, prompt.images);
  const possible = [...requestedModalities, ...(model.outputModalities as Modality[])];
  return highestPrices(endpoint, prompt, most, possible);
}

/**
 * Returns the prices of a request at a target whose prompt is as long as estimated, and whose answer has what the
 * request asks for.
 */
export function likelyPrices(
  { endpoint }: Target,
  readPrompt: () => PromptFacts,
  requestedModalities: readonly Modality[],
): TokenPrices {
  if (endpoint.pricing.overrides === undefined) return endpoint.pricing;
  const prompt = readPrompt();
  return finalPrices(endpoint, prompt, prompt.estimatedTokens, requestedModalities, prompt.serviceTier);
}

/** Returns how often the vendor may read the prompt. A compaction reads it once more. */
function readingsOf({ mayBeCompacted }: PromptFacts): bigint {
  return mayBeCompacted === true ? 2n : 1n;
}

function hasVideo(modalities: readonly Modality[]): boolean {
  return modalities.includes('video');
}

/** Returns the cost of the most expensive usage. */
function highestCost(prices: TokenPrices, usages: readonly TokenUsage[], images: number): Nanos {
  const costs = usages.map((usage) => costOfTokens(prices, usage, images).totalNanos);
  return costs.reduce((most, cost) => (cost > most ? cost : most));
}

function mostTokens(target: Target, prompt: PromptFacts): number {
  const most = prompt.mostTokens;
  return Math.min(most, contextOf(target) ?? (most === Infinity ? DEFAULT_CONTEXT : most));
}

function contextOf({ endpoint, model }: Target): number | undefined {
  return endpoint.contextLength ?? model.contextLength ?? undefined;
}

function tokensOfImages({ tokensPerImage = TOKENS_PER_IMAGE }: LiveEndpoint, images: number): number {
  return images * tokensPerImage;
}

/**
 * Returns the ways in which the vendor may charge for tokens with a cache. Usually written tokens cost most, and read
 * ones least, but prices are what their catalog says, so that any way may cost most.
 */
function cachingsOf(
  { pricing, cachesImplicitly }: LiveEndpoint,
  asked: CacheWrite,
  tokens: number,
): Partial<TokenUsage>[] {
  // Such a vendor writes to its cache unasked, and charges for it.
  const isUnasked = asked === 'none' && cachesImplicitly === true;
  const ways: Partial<TokenUsage>[] = [{}];
  if (asked !== 'none' || isUnasked) ways.push(writesOf('minutes', tokens));
  if (asked === 'hour') ways.push(writesOf('hour', tokens));
  const mayRead = pricing.inputCacheRead !== undefined || pricing.overrides !== undefined;
  return mayRead ? [...ways, { cacheRead: tokens }] : ways;
}

/** Returns the tokens that are written to the vendor's cache. */
function writesOf(cacheWrite: CacheWrite, tokens: number): Pick<TokenUsage, 'cacheWrite' | 'cacheWriteHour'> {
  if (cacheWrite === 'none') return {};
  return { cacheWrite: tokens, cacheWriteHour: cacheWrite === 'hour' ? tokens : undefined };
}
