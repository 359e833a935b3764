/** Computes the price of a rerank request, before and after the upstream has counted. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import { costOfMedia } from '../../../domain/catalog/media-price.ts';
import type { Nanos } from '../../../domain/money.ts';
import { parsePrice } from '../../../domain/catalog/token-price.ts';
import type { RerankAnswer } from '../../../providers/rerank-adapter.ts';
import { endOf, type PricedRequest, pricedFor } from '../applicable-prices.ts';
import type { Billed } from '../pipeline/live-operation.ts';
import { reservedForImages } from '../prompt/prompt-cost.ts';
import { toMediaBill } from '../to-bill.ts';
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
  return estimateRerank(endpoint, mostFacts(endpoint, facts));
}

/** Returns the tokens to reserve. They exceed the estimate when pictures may count as more tokens. */
export function reservedTokens(endpoint: LiveEndpoint, { estimatedTokens, images }: RerankFacts): number {
  return estimatedTokens + Math.max(0, reservedForImages(endpoint, images));
}

function mostFacts(endpoint: LiveEndpoint, facts: RerankFacts): RerankFacts {
  return { ...facts, estimatedTokens: reservedTokens(endpoint, facts) };
}

/** Bills a ranking that ends now, at the prices that apply. */
export function billRerankNow(
  listed: LiveEndpoint,
  priced: PricedRequest,
  answer: RerankAnswer,
  facts: RerankFacts,
): { usage: RerankUsage; billed: Billed } {
  const { totalTokens, searchUnits } = answer.usage;
  const { images } = facts;
  const promptTokens = totalTokens ?? facts.estimatedTokens;
  const endMs = endOf(priced);
  const endpoint = pricedFor(listed, priced, 'rerank', promptTokens, endMs);
  const usage = billRerank(endpoint, answer, facts);
  const counts = {
    endMs,
    promptTokens,
    tokens: { prompt: promptTokens, completion: 0 },
    images,
    media: { searchUnits: searchUnits ?? facts.estimatedUnits },
  };
  const isEstimated = usage.totalTokens !== totalTokens || usage.searchUnits !== searchUnits;
  const billed = {
    usage: usage.totalTokens === undefined ? null : counts.tokens,
    costNanos: usage.costNanos,
    bill: toMediaBill(endpoint, priced, 'rerank', counts, { isEstimated }),
    prices: endpoint.pricing,
    promptImages: images,
    mediaUsage: usage.searchUnits === undefined ? undefined : counts.media,
    outputModalities: ['rerank' as const],
  };
  return { usage, billed };
}

/** Bills a ranking whose caller left. `reserved` are the facts by which the endpoint's work was reserved. */
export function billAbandonedRerank(
  listed: LiveEndpoint,
  priced: PricedRequest,
  { estimatedTokens: promptTokens }: RerankFacts,
  reserved: RerankFacts,
): Billed {
  const endMs = endOf(priced);
  const endpoint = pricedFor(listed, priced, 'rerank', promptTokens, endMs);
  const most = mostFacts(endpoint, reserved);
  const tokens = { prompt: most.estimatedTokens, completion: 0 };
  const media = { searchUnits: most.estimatedUnits };
  const counts = { endMs, promptTokens, tokens, images: most.images, media };
  return {
    usage: null,
    costNanos: estimateRerank(endpoint, most),
    outputModalities: [],
    bill: toMediaBill(endpoint, priced, 'rerank', counts, { isEstimated: true }),
  };
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
