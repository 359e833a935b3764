/** Chooses the prices of an endpoint that apply to a request, before it is sent and at its end. */
import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import { pricesUnder } from '../../domain/catalog/price-conditions.ts';
import type { TokenPrices } from '../../domain/catalog/token-pricing.ts';
import type { Modality } from '../../domain/modality.ts';

/** The parts of a request that conditions of prices look at. */
export interface PricedRequest {
  /** When the request was read, in Unix milliseconds. Prices that change with time are those of this moment. */
  askedAtMs: number;
  /** The service tier that the request asks for; absent or undefined for the standard one. */
  serviceTier?: string | undefined;
  /** The modalities of the prompt. */
  modalities: readonly Modality[];
}

/** Prices that depend on the end of a request are those of its first hour, even if it lasts longer. */
const LONGEST_REQUEST_MS = 3_600_000;

/**
 * Returns the highest prices that a request can reach at an endpoint. Its prompt has at most so many tokens, and its
 * answer may have any of the modalities.
 */
export function highestPrices(
  { pricing }: LiveEndpoint,
  { askedAtMs, serviceTier, modalities }: PricedRequest,
  mostTokens: number,
  outputModalities: readonly Modality[],
): TokenPrices {
  if (pricing.overrides === undefined) return pricing;
  return pricesUnder(pricing, {
    promptTokens: [0, mostTokens],
    startedAtMs: askedAtMs,
    endedAtMs: [askedAtMs, askedAtMs + LONGEST_REQUEST_MS],
    serviceTier,
    inputModalities: modalities,
    possibleModalities: outputModalities,
  });
}

/** Returns the prices of a request that ends at this moment, or now, and is billed by this service tier. */
export function finalPrices(
  { pricing }: LiveEndpoint,
  request: PricedRequest,
  promptTokens: number,
  outputModalities: readonly Modality[],
  serviceTier?: string,
  endedAtMs = endOf(request),
): TokenPrices {
  return pricesUnder(pricing, {
    promptTokens: [promptTokens, promptTokens],
    startedAtMs: request.askedAtMs,
    endedAtMs: [endedAtMs, endedAtMs],
    serviceTier,
    inputModalities: request.modalities,
    outputModalities,
  });
}

/** Returns the moment by which a request that ends now is billed, in Unix milliseconds. */
export function endOf({ askedAtMs }: PricedRequest): number {
  return Math.min(Date.now(), askedAtMs + LONGEST_REQUEST_MS);
}

/** Returns an endpoint with the highest prices that a request for media of at most so many tokens can reach there. */
export function dearestFor(
  endpoint: LiveEndpoint,
  request: PricedRequest,
  output: Modality,
  mostTokens: number,
): LiveEndpoint {
  if (endpoint.pricing.overrides === undefined) return endpoint;
  return { ...endpoint, pricing: highestPrices(endpoint, request, mostTokens, [output]) };
}

/** Returns an endpoint with the prices of a request for media that ends at this moment, or now. */
export function pricedFor(
  endpoint: LiveEndpoint,
  request: PricedRequest,
  output: Modality,
  promptTokens: number,
  endedAtMs = endOf(request),
): LiveEndpoint {
  if (endpoint.pricing.overrides === undefined) return endpoint;
  const pricing = finalPrices(endpoint, request, promptTokens, [output], undefined, endedAtMs);
  return { ...endpoint, pricing };
}
