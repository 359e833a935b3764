/** Estimates and bills a request for pictures that has been read and fitted to its endpoints. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import type { RequestedImages } from '../../../domain/live/image-request.ts';
import type { Nanos } from '../../../domain/money.ts';
import { priceCalls, pricesOfCalls } from '../../../domain/catalog/priced-calls.ts';
import { type PricedRequest, pricedFor } from '../applicable-prices.ts';
import type { Billed } from '../pipeline/live-operation.ts';
import type { TargetEstimate } from '../pipeline/target-reservation.ts';
import { textSizeOf } from '../prompt/measure-prompt.ts';
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
  const partials = read.body.stream === true && endpoint.image?.streaming === true ? MOST_DRAFTS : 0;
  const made = { pictures, partials: partials * pictures, counted: undefined };
  return billAt(read, { endpoint }, made, promptTokens).cost.totalNanos;
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
  const { requested, body, priced } = read;
  const counted = made.counted ? toTokenUsage(made.counted) : undefined;
  const calls = priceCalls(
    counted ?? { prompt: estimatedTokensOf(body.prompt), completion: 0 },
    (tokens) => pricedFor(place.endpoint, priced, 'image', tokens).pricing,
  );
  const { prices, calls: different } = pricesOfCalls(calls);
  const endpoint = { ...place.endpoint, pricing: prices };
  const { usage, media, cost, shown } = billAt(read, { ...place, endpoint }, { ...made, calls: different });
  const billed: Billed = {
    usage,
    costNanos: cost.totalNanos,
    prices,
    calls: different,
    mediaUsage: media,
    outputModalities: ['image'],
    finishReason: 'stop',
    mediaPrompt: requested.references.length,
    mediaCompletion: made.pictures,
  };
  return { billed, shown };
}
