/** Computes what a generation costs from prices, and from what the ledger keeps of its bill. */
import { hasPricesForTier } from '../catalog/dated-prices.ts';
import type { MediaUsage } from '../catalog/media-price.ts';
import { highestPricesOfPicture, type PricedPicture, pricesOfPicture } from '../catalog/picture-price.ts';
import { pricesUnder } from '../catalog/price-conditions.ts';
import { costOfCalls, type PricedCalls, priceCalls, pricesOfCalls } from '../catalog/priced-calls.ts';
import type { TokenCost } from '../catalog/token-price.ts';
import type { TokenPrices, TokenPricing } from '../catalog/token-pricing.ts';
import type { VendorReport } from '../catalog/video-meters.ts';
import type { Modality } from '../modality.ts';
import type { TokenUsage } from '../token-usage.ts';

/**
 * The ways in which a bill may differ from the vendor's. `estimated`: the vendor did not send a count that decides, so
 * the gateway's estimate was billed. `unpriced_tier`: the vendor served a tier without prices, so the requested tier
 * was billed. `above_estimate`, `below_estimate`: the provider reported units far from the documented number.
 */
export type BillFlag = 'estimated' | 'unpriced_tier' | 'above_estimate' | 'below_estimate';

/** A picture on whose size and quality the price depends. */
export interface BilledPicture extends PricedPicture {
  /** True: it was not made, so the highest price that it could have is billed. */
  isUnmade?: true;
}

/** Everything that decides what a live request costs, apart from the prices. */
export interface BilledRequest {
  /** The moments that decide about windows and dates, in Unix milliseconds. */
  startMs: number;
  endMs: number;
  /** The modalities of the prompt and of the answer. */
  inputs: readonly Modality[];
  outputs: readonly Modality[];
  /** Absent or undefined for the standard tier. */
  requestedTier?: string | undefined;
  /** The tier that the vendor names; null for the standard tier. Absent or undefined if it names none. */
  servedTier?: string | null | undefined;
  /** The length of the prompt that decides about prices, if it is not `tokens.prompt`. */
  promptTokens?: number | undefined;
  tokens: TokenUsage;
  /** Pictures of the prompt. */
  images?: number | undefined;
  media?: MediaUsage | undefined;
  /** The size and quality of generated pictures. */
  picture?: BilledPicture | undefined;
}

/** The parts of every kept bill. The names are also those in the database. */
interface KeptBill {
  /** The id of the version of the endpoint's prices; absent if the endpoint has none. */
  prices?: number | undefined;
  flags?: BillFlag[] | undefined;
}

/** The bill that the ledger keeps of a live generation. */
export interface LiveBill extends KeptBill, BilledRequest {}

/** The parts of a request that determine the price of its video. */
export interface BilledVideo {
  resolution?: string | undefined;
  durationSeconds?: number | undefined;
  generateAudio: boolean;
  /** True: the video is made from another one. */
  hasVideoInput?: boolean | undefined;
  /** The units that are billed beside its seconds: those that the provider reported, or the documented ones. */
  units?: VendorReport | undefined;
  /**
   * The cost of a cancelled job in nanodollars, if no price decides it: zero, or what the provider charged in money, up
   * to the reservation.
   */
  charged?: string | undefined;
}

/** The bill that the ledger keeps of a generation. */
export type Bill = LiveBill | (KeptBill & { video: BilledVideo });

/** The cost of a live request, and the prices that applied. */
export interface RequestCost {
  prices: TokenPrices;
  /** The calls that add up to the request, where they have different prices. */
  calls: PricedCalls | undefined;
  cost: TokenCost;
  /** True when the vendor served a tier that has no prices. */
  hasUnpricedTier: boolean;
}

/**
 * Returns the cost of a live request at the prices of an endpoint. The served tier decides. It never costs more than
 * the requested one, which also decides when the vendor names none, or one without prices.
 */
export function costOfRequest(pricing: TokenPricing, request: BilledRequest): RequestCost {
  const { requestedTier: asked, servedTier } = request;
  const requested = costByTier(pricing, request, asked);
  const served = servedTier === undefined ? asked : (servedTier ?? undefined);
  if (served === asked) return requested;
  if (served !== undefined && !hasPricesForTier(pricing, served, request.startMs)) {
    return { ...requested, hasUnpricedTier: true };
  }
  const ofServed = costByTier(pricing, request, served);
  return ofServed.cost.totalNanos < requested.cost.totalNanos ? ofServed : requested;
}

function costByTier(
  pricing: TokenPricing,
  request: BilledRequest,
  serviceTier: string | undefined,
): RequestCost {
  const { tokens, images, media } = request;
  const priced = priceCalls(tokens, (length) =>
    pricesOfBilledPicture(pricesByTier(pricing, request, length, serviceTier), request.picture),
  );
  const { prices, calls } = pricesOfCalls(priced);
  return { prices, calls, cost: costOfCalls(priced, images, media), hasUnpricedTier: false };
}

function pricesByTier(
  pricing: TokenPricing,
  { startMs, endMs, inputs, outputs, promptTokens }: BilledRequest,
  tokens: number,
  serviceTier: string | undefined,
): TokenPrices {
  if (pricing.overrides === undefined) return pricing;
  const length = promptTokens ?? tokens;
  return pricesUnder(pricing, {
    promptTokens: [length, length],
    startedAtMs: startMs,
    endedAtMs: [endMs, endMs],
    serviceTier,
    inputModalities: inputs,
    outputModalities: outputs,
  });
}

/** Returns the prices with that of a picture of this size and quality. */
export function pricesOfBilledPicture(
  prices: TokenPricing,
  picture: BilledPicture | undefined,
): TokenPricing {
  if (picture === undefined) return prices;
  return picture.isUnmade ? highestPricesOfPicture(prices, picture) : pricesOfPicture(prices, picture);
}
