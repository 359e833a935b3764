/** Computes the price of a rerank request, before and after the upstream has counted. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import { costOfMedia } from '../../../domain/catalog/media-price.ts';
import type { Nanos } from '../../../domain/money.ts';
import { parsePrice } from '../../../domain/catalog/token-price.ts';
import type { RerankAnswer } from '../../../providers/rerank-adapter.ts';
import { reservedForImages } from '../prompt/prompt-cost.ts';
import type { RerankFacts } from './rerank-facts.ts';

/** The usage and the cost of a ranking. A count is absent when the upstream did not send it and it has no price. */
export interface RerankUsage {
  searchUnits?: number | undefined;
  totalTokens?: number | undefined;
  costNanos: Nanos;
}

/** Returns the upstream's counts at the endpoint's prices. A missing count that has a price is estimated. */
export function billRerank(
  { pricing }: LiveEndpoint,
  { usage }: RerankAnswer,
  { estimatedTokens, estimatedUnits, images }: RerankFacts,
): RerankUsage {
  const searchUnits = usage.searchUnits ?? (hasPrice(pricing.searchUnit) ? estimatedUnits : undefined);
  const totalTokens = usage.totalTokens ?? (hasPrice(pricing.prompt) ? estimatedTokens : undefined);
  const costNanos = costOf(pricing, totalTokens ?? 0, searchUnits ?? 0, images);
  return { searchUnits, totalTokens, costNanos };
}

/** Estimates the cost of a ranking at an endpoint before the request is sent. */
export function estimateRerank(
  { pricing }: LiveEndpoint,
  { estimatedTokens, estimatedUnits, images }: RerankFacts,
): Nanos {
  return costOf(pricing, estimatedTokens, estimatedUnits, images);
}

/** Returns the cost to reserve. */
export function reservedForRerank(endpoint: LiveEndpoint, facts: RerankFacts): Nanos {
  return estimateRerank(endpoint, { ...facts, estimatedTokens: reservedTokens(endpoint, facts) });
}

/** Returns the tokens to reserve. They exceed the estimate when pictures may count as more tokens. */
export function reservedTokens(endpoint: LiveEndpoint, { estimatedTokens, images }: RerankFacts): number {
  return estimatedTokens + Math.max(0, reservedForImages(endpoint, images));
}

function hasPrice(price: string | undefined): boolean {
  return price !== undefined && parsePrice(price) > 0n;
}

function costOf(
  pricing: LiveEndpoint['pricing'],
  tokens: number,
  searchUnits: number,
  images: number,
): Nanos {
  return costOfMedia(pricing, { prompt: tokens, completion: 0 }, { searchUnits }, images).totalNanos;
}
