/** Estimates and bills a request for pictures that has been read and fitted to its endpoints. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import type { RequestedImages } from '../../../domain/live/image-request.ts';
import type { Nanos } from '../../../domain/money.ts';
import { priceCalls, pricesOfCalls } from '../../../domain/catalog/priced-calls.ts';
import { endOf, type PricedRequest, pricedFor } from '../applicable-prices.ts';
import type { Billed } from '../pipeline/live-operation.ts';
import type { TargetEstimate } from '../pipeline/target-reservation.ts';
import { textSizeOf } from '../prompt/measure-prompt.ts';
import { toMediaBill } from '../to-bill.ts';
import { toTokenUsage } from '../token-usage.ts';
import { estimatedTokensOf } from '../token-estimate.ts';
import { billImages, type ImagesBill, type ImagesMade, type ImagesPlace } from './images-bill.ts';
import type { ImageFits, ImagesBody } from './images-request.ts';
import type { ImagesUsage } from './images-usage.ts';

/** A request for pictures with the facts for billing and presenting it. */
export interface ReadImages {
  body: ImagesBody;
  requested: RequestedImages;
  /** The fitted request to each endpoint. */
  fits: ImageFits;
  priced: PricedRequest;
}

/** Returns the bill at the prices of the place. The prompt's tokens are estimated unless they are given. */
function billAt(
  { body, requested, fits }: ReadImages,
  place: ImagesPlace,
  made: ImagesMade,
  promptTokens = estimatedTokensOf(body.prompt),
): ImagesBill {
  const facts = {
    promptTokens,
    references: requested.references.length,
    fit: fits.of(place.endpoint),
  };
  return billImages(place, facts, made);
}

/** The largest number of drafts that any vendor makes of a picture. */
const MOST_DRAFTS = 3;

/** Estimates the cost of a number of pictures, and of a stream's drafts, at the prices of the endpoint. */
export function estimateCost(
  read: ReadImages,
  endpoint: LiveEndpoint,
  pictures: number,
  promptTokens?: number,
): Nanos {
  return billAt(read, { endpoint }, withDrafts(read, endpoint, pictures), promptTokens).cost.totalNanos;
}

/** Returns a number of pictures with all drafts that a stream may have of them. */
function withDrafts(read: ReadImages, endpoint: LiveEndpoint, pictures: number): ImagesMade {
  const partials = read.body.stream === true && endpoint.image?.streaming === true ? MOST_DRAFTS : 0;
  return { pictures, partials: partials * pictures, counted: undefined, stated: 'unmade' };
}

/**
 * Returns what the request may cost at the prices of an endpoint. Options for the provider count as text, because they
 * may hold instructions.
 */
export function reserveImages(read: ReadImages, endpoint: LiveEndpoint): TargetEstimate {
  const { body, fits } = read;
  const pictures = fits.of(endpoint).n;
  const beside = textSizeOf(body.provider?.options?.[endpoint.providerSlug] ?? {});
  const tokens = estimatedTokensOf(body.prompt) + beside.tokens;
  const mostTokens = Buffer.byteLength(body.prompt) + beside.bytes;
  return {
    fixed: estimateCost(read, endpoint, pictures, tokens),
    mostFixed: estimateCost(read, endpoint, pictures, mostTokens),
  };
}

/** Bills the output of an endpoint for a request that ends now. */
export function billOf(
  read: ReadImages,
  place: ImagesPlace,
  made: ImagesMade,
): { billed: Billed; shown: ImagesUsage } {
  const { usage, media, unusual, cost, shown, prices, calls, bill } = billNow(read, place, made);
  const billed: Billed = {
    usage,
    costNanos: cost.totalNanos,
    bill,
    prices,
    calls,
    mediaUsage: media,
    unusual,
    outputModalities: ['image'],
    finishReason: 'stop',
    mediaPrompt: read.requested.references.length,
    mediaCompletion: made.pictures,
  };
  return { billed, shown };
}

/** Bills a request whose caller left. It costs all pictures, because the endpoint makes them anyway. */
export function billAbandonedImages(read: ReadImages, endpoint: LiveEndpoint): Billed {
  const { body, fits } = read;
  const beside = textSizeOf(body.provider?.options?.[endpoint.providerSlug] ?? {});
  const made = withDrafts(read, endpoint, fits.of(endpoint).n);
  const { cost, bill } = billNow(read, { endpoint }, made, {
    tokensBeside: beside.tokens,
    isEstimated: true,
  });
  return { usage: null, costNanos: cost.totalNanos, outputModalities: [], bill };
}

/** Returns the bill of a request that ends now, with the prices that apply and what the ledger keeps. */
function billNow(
  read: ReadImages,
  place: ImagesPlace,
  made: ImagesMade,
  { tokensBeside = 0, isEstimated = false } = {},
): ImagesBill & Pick<Billed, 'prices' | 'calls' | 'bill'> {
  const { body, priced } = read;
  const estimated = estimatedTokensOf(body.prompt);
  const counted = made.counted ? toTokenUsage(made.counted) : { prompt: estimated, completion: 0 };
  const endMs = endOf(priced);
  const pricesFor = (tokens: number) => pricedFor(place.endpoint, priced, 'image', tokens, endMs).pricing;
  const { prices, calls } = pricesOfCalls(priceCalls(counted, pricesFor));
  const endpoint = { ...place.endpoint, pricing: prices };
  const billed = billAt(read, { ...place, endpoint }, { ...made, calls }, estimated + tokensBeside);
  const { usage, tokens, media, picture, unusual } = billed;
  const doubts = { isEstimated: isEstimated || (made.counted === undefined && usage !== null), unusual };
  const counts = { endMs, promptTokens: counted.prompt, tokens, media, picture };
  return { ...billed, calls, bill: toMediaBill(endpoint, priced, 'image', counts, doubts) };
}
