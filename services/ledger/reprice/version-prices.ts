/** Finds the prices by which a kept bill was computed, and those that its endpoint has today. */
import type { PriceVersion } from '../../../db/catalog/price-version-read-model.ts';
import { pricingAt } from '../../../domain/catalog/dated-prices.ts';
import type { TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import { type PrivatePricing, toTokenPricing } from '../../../domain/endpoints/private-endpoint.ts';
import type { Bill } from '../../../domain/ledger/bill.ts';
import type { Pricing } from './cost-of-bill.ts';

export interface VersionPrices {
  kept: Pricing;
  /** Undefined when the endpoint is gone or off. */
  today: Pricing | undefined;
}

/** Returns a function that finds the prices for a bill; undefined if its version is unknown. */
export function pricesByVersion(versions: readonly PriceVersion[], nowMs: number) {
  const current = new Map<string, Pricing>();
  for (const version of versions) {
    if (version.isCurrent) current.set(version.endpointId, undatedAt(pricingOf(version), nowMs));
  }
  const byId = new Map(
    versions.map((version): [number, VersionPrices] => [
      version.id,
      { kept: pricingOf(version), today: current.get(version.endpointId) },
    ]),
  );
  return ({ prices }: Bill): VersionPrices | undefined =>
    prices === undefined ? undefined : byId.get(prices);
}

/** Returns the prices of a version in the form in which they bill a request. */
export function pricingOf({ isPrivate, pricing }: Pick<PriceVersion, 'isPrivate' | 'pricing'>): Pricing {
  return isPrivate ? toTokenPricing(pricing as PrivatePricing) : (pricing as Pricing);
}

/** Applies the dates of prices as of today to requests of any time. The prices of videos have no dates. */
function undatedAt(pricing: Pricing, nowMs: number): Pricing {
  return pricing['overrides'] === undefined ? pricing : pricingAt(pricing as TokenPricing, nowMs);
}
