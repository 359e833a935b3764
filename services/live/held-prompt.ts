import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Target } from '../../domain/routing/routing.ts';
import { costOfTokens } from '../../domain/catalog/token-price.ts';
import { type PromptFacts, TOKENS_PER_MEDIUM } from './prompt-facts.ts';

/** What is held for a picture where the catalog does not say: vendors scale larger ones down to about so much. */
const TOKENS_PER_IMAGE = 2_000;

/** A file of unknown length is held as if it filled a context, of this size where the catalog does not say. */
const USUAL_CONTEXT = 128_000;

/** Returns how many more tokens are held for pictures than the guess of a prompt has for them. */
export function heldForImages({ tokensPerImage = TOKENS_PER_IMAGE }: LiveEndpoint, images: number): number {
  return images * (tokensPerImage - TOKENS_PER_MEDIUM);
}

/** Returns what a prompt may cost at a target, before anybody has counted its tokens. */
export function costOfPrompt({ endpoint, model }: Target, prompt: PromptFacts): Nanos {
  const { estimatedTokens, images, files, fileTokens } = prompt;
  const context = endpoint.contextLength ?? model.contextLength ?? USUAL_CONTEXT;
  const forFiles = Math.min(fileTokens, context) - files * TOKENS_PER_MEDIUM;
  const tokens = estimatedTokens + heldForImages(endpoint, images) + forFiles;
  return costOfTokens(endpoint.pricing, { prompt: Math.max(0, tokens), completion: 0 }, images).totalNanos;
}
