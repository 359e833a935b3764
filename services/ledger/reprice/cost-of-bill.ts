/** Computes the cost of a kept bill again, for live generations and for videos. */
import type { TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import { type Bill, type BilledVideo, costOfRequest } from '../../../domain/ledger/bill.ts';
import type { Nanos } from '../../../domain/money.ts';
import { METERS } from '../../../domain/catalog/video-meters.ts';
import { costOfReport, priceOf, type VideoTerms } from '../../../domain/videos/video-price.ts';
import { mostSpecific } from '../../../domain/videos/video-sku.ts';

/** The prices of an endpoint: of tokens and media, or of a video's units. */
export type Pricing = TokenPricing | Record<string, string>;

/** Returns the cost of a kept bill at prices of its endpoint. */
export function costOfBill(bill: Bill, pricing: Pricing): Nanos {
  if ('video' in bill) return costOfVideo(bill.video, pricing as Record<string, string>);
  return costOfRequest(pricing as TokenPricing, bill).cost.totalNanos;
}

/**
 * Returns whether prices have the kinds of units that a bill counts. Without them, the bill cannot be computed by these
 * prices: seconds say nothing about tokens.
 */
export function hasUnitsOf(bill: Bill, pricing: Pricing): boolean {
  if (!('video' in bill)) {
    const { billableUnits } = bill.media ?? {};
    return ((pricing as TokenPricing).billableUnit !== undefined) === (billableUnits !== undefined);
  }
  const { units = {}, ...facts } = bill.video;
  const video = { ...facts, hasVideoInput: facts.hasVideoInput === true };
  const skus = pricing as Record<string, string>;
  return METERS.every(
    (meter) => (units[meter] !== undefined) === (mostSpecific(meter, video, skus) !== undefined),
  );
}

function costOfVideo({ units = {}, ...facts }: BilledVideo, skus: Record<string, string>): Nanos {
  const video = { ...facts, hasVideoInput: facts.hasVideoInput === true };
  const meters: VideoTerms['meters'] = {};
  for (const meter of METERS) {
    const [usual, price] = [units[meter], mostSpecific(meter, video, skus)];
    if (usual !== undefined && price !== undefined) meters[meter] = { usual, price };
  }
  return costOfReport({ fixedNanos: `${priceOf(video, skus)}`, estimateNanos: '0', meters }, {});
}
