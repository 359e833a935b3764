/** Divides the cost of a recorded generation by kind, from its kept bill and the prices that billed it. */
import type { StoredGeneration } from '../../../db/insights/generation-read-model.ts';
import type { TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import { costOfRequest } from '../../../domain/ledger/bill.ts';
import type { CostParts } from '../../../domain/ledger/broadcast-facts.ts';
import { costPartsOf } from '../../../domain/ledger/cost-parts.ts';
import { pricingOf } from '../../ledger/reprice/version-prices.ts';

type Billed = Pick<StoredGeneration, 'apiType' | 'costNanos' | 'bill' | 'pricing' | 'isPrivate'>;

/**
 * Returns the cost of each kind, under the names that destinations get. Null unless the kinds add up to the billed
 * cost, because other sums would contradict the bill. So it is null without a kept bill or without kept prices.
 */
export function costByKind({ apiType, costNanos, bill, pricing, isPrivate }: Billed): CostParts | null {
  if (apiType === 'video') return costNanos > 0n ? { media: costNanos } : null;
  if (bill === null || 'video' in bill || pricing === null || isPrivate === null) return null;
  const { tokens, images, media } = bill;
  const { prices, calls } = costOfRequest(pricingOf({ isPrivate, pricing }) as TokenPricing, bill);
  const parts = costPartsOf(prices, { usage: tokens, images, media, calls });
  const sum = Object.values(parts).reduce((total: bigint, nanos: bigint) => total + nanos, 0n);
  return sum === costNanos ? parts : null;
}
