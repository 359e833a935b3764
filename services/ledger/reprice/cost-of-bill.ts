/** Computes the cost of a kept bill again, for live generations and for videos. */
import type { TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import { type Bill, costOfRequest } from '../../../domain/ledger/bill.ts';
import type { Nanos } from '../../../domain/money.ts';
import { priceOf } from '../../../domain/videos/video-price.ts';

/** The prices of an endpoint: of tokens and media, or of a video's units. */
export type Pricing = TokenPricing | Record<string, string>;

/** Returns the cost of a kept bill at prices of its endpoint. */
export function costOfBill(bill: Bill, pricing: Pricing): Nanos {
  if ('video' in bill) return priceOf(bill.video, pricing as Record<string, string>);
  return costOfRequest(pricing as TokenPricing, bill).cost.totalNanos;
}
