/** Makes the parts of the bill that the ledger keeps of a live request. */
import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import type { BilledRequest, BillFlag, LiveBill } from '../../domain/ledger/bill.ts';
import type { Modality } from '../../domain/modality.ts';
import type { PricedRequest } from './applicable-prices.ts';
import type { UnusualBill } from './billed-units.ts';

/** Returns the flags of a bill; undefined if it has none. */
export function flagsOf(isEstimated: boolean, hasUnpricedTier = false): BillFlag[] | undefined {
  if (!isEstimated && !hasUnpricedTier) return undefined;
  return [
    ...(isEstimated ? (['estimated'] as const) : []),
    ...(hasUnpricedTier ? (['unpriced_tier'] as const) : []),
  ];
}

/** The counts by which media are billed. */
type MediaCounts = Pick<BilledRequest, 'endMs' | 'tokens' | 'media' | 'images' | 'picture'> & {
  /** The length of the prompt that decides about prices. */
  promptTokens: number;
};

/** Returns the bill of a request for media that makes something of this kind. `unusual` tells about its units. */
export function toMediaBill(
  endpoint: LiveEndpoint,
  { askedAtMs, modalities }: PricedRequest,
  output: Modality,
  { promptTokens, images, ...counts }: MediaCounts,
  { isEstimated, unusual }: { isEstimated: boolean; unusual?: UnusualBill | undefined },
): LiveBill {
  const flag = unusual?.flag;
  const flags = flagsOf(isEstimated || flag === 'not_reported');
  return {
    prices: endpoint.priceVersion,
    flags: flag === undefined || flag === 'not_reported' ? flags : [...(flags ?? []), flag],
    startMs: askedAtMs,
    inputs: modalities,
    outputs: [output],
    promptTokens: promptTokens === counts.tokens.prompt ? undefined : promptTokens,
    images: images || undefined,
    ...counts,
  };
}
