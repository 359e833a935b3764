/** Bills a request that a vendor served by several calls, each by the length of its own prompt. */
import type { TokenUsage } from '../token-usage.ts';
import { attosOfMedia, type MediaUsage } from './media-price.ts';
import { attosByKind, type AttosByKind, costOfTokens, toCost, type TokenCost } from './token-price.ts';
import type { TokenPrices } from './token-pricing.ts';

/** The usage of one or more calls, and the prices that apply to them. */
export interface PricedCall {
  prices: TokenPrices;
  usage: TokenUsage;
}

/** The calls of a request. The first one pays what is charged once: the request, and its pictures and media. */
export type PricedCalls = readonly [PricedCall, ...PricedCall[]];

/** Returns the calls of a request with their prices. There is one entry if the same prices apply to all of them. */
export function priceCalls(usage: TokenUsage, pricesFor: (promptTokens: number) => TokenPrices): PricedCalls {
  const [first, ...others] = usage.calls ?? [];
  if (first === undefined) return [{ prices: pricesFor(usage.prompt), usage }];
  const priced = (call: TokenUsage): PricedCall => ({ prices: pricesFor(call.prompt), usage: call });
  const calls: PricedCalls = [priced(first), ...others.map(priced)];
  const { prices } = calls[0];
  return calls.every((call) => call.prices === prices) ? [{ prices, usage }] : calls;
}

/** Returns the unrounded cost of each kind of token of all calls, and of the pictures of the prompt. */
export function attosOfCalls([{ prices, usage }, ...others]: PricedCalls, images = 0): AttosByKind {
  const sum = attosByKind(prices, usage, images);
  for (const call of others) {
    const { request: _once, ...kinds } = attosByKind(call.prices, call.usage);
    for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) sum[kind] += kinds[kind];
  }
  return sum;
}

const NO_MEDIA: MediaUsage = {};

/** Returns the cost of all calls and of the media, rounded half up to the nanodollar, once. */
export function costOfCalls(calls: PricedCalls, images = 0, media: MediaUsage = NO_MEDIA): TokenCost {
  const [{ prices, usage }, second] = calls;
  if (second === undefined && media === NO_MEDIA) return costOfTokens(prices, usage, images);
  const { completion, reasoning, completionImage, completionAudio, ...inPrompt } = attosOfCalls(
    calls,
    images,
  );
  const beside = attosOfMedia(prices, media);
  return toCost({
    prompt: Object.values(inPrompt).reduce((sum, attos) => sum + attos, beside.prompt),
    completion: completion + reasoning + completionImage + completionAudio + beside.completion,
  });
}

/** Returns the prices of the first call, and all calls where their prices differ. */
export function pricesOfCalls(calls: PricedCalls): { prices: TokenPrices; calls: PricedCalls | undefined } {
  return { prices: calls[0].prices, calls: calls.length > 1 ? calls : undefined };
}
