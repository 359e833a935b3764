/** Estimates how much of the caller's money must be reserved for a prompt. */
import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Target } from '../../domain/routing/routing.ts';
import { costOfTokens } from '../../domain/catalog/token-price.ts';
import { type PromptFacts, TOKENS_PER_MEDIUM } from './prompt-facts.ts';

/**
 * The tokens that are reserved for a picture when the catalog has no number. Vendors scale larger pictures down to
 * about this number.
 */
const TOKENS_PER_IMAGE = 2_000;

/**
 * The context length that is assumed when the catalog names none. A file of unknown length reserves a whole context.
 */
const DEFAULT_CONTEXT = 128_000;

/** Returns how many tokens are reserved for pictures in addition to the prompt's estimate. */
export function reservedForImages(
  { tokensPerImage = TOKENS_PER_IMAGE }: LiveEndpoint,
  images: number,
): number {
  return images * (tokensPerImage - TOKENS_PER_MEDIUM);
}

/** Returns the largest cost of a prompt at a target, before its tokens were counted. */
export function costOfPrompt({ endpoint, model }: Target, prompt: PromptFacts): Nanos {
  const { estimatedTokens, images, files, fileTokens } = prompt;
  const context = endpoint.contextLength ?? model.contextLength ?? DEFAULT_CONTEXT;
  const forFiles = Math.min(fileTokens, context) - files * TOKENS_PER_MEDIUM;
  const tokens = estimatedTokens + reservedForImages(endpoint, images) + forFiles;
  return costOfTokens(endpoint.pricing, { prompt: Math.max(0, tokens), completion: 0 }, images).totalNanos;
}
