/** Prices the videos of shipped catalogs, for tests that hold them against the pages of vendors. */
import { expect } from '@jest/globals';
import type { VendorReport } from '../../domain/catalog/video-meters.ts';
import type { PricedVideo } from '../../domain/videos/video-sku.ts';
import { costOfReport, quoteVideo } from '../../domain/videos/video-price.ts';
import { bundledCatalogs, type CatalogFile } from '../../providers/catalog-file.ts';

/** Returns the shipped catalog with a vendor. */
export function catalogWith(vendor: string): CatalogFile {
  return bundledCatalogs().find(({ providers }) => providers.some(({ slug }) => slug === vendor))!;
}

/** Returns the dollars of a video by the vendor's report, or by the estimate. Expects that no less is reserved. */
export function dollarsOf(
  { endpoints }: CatalogFile,
  model: string,
  video: Omit<PricedVideo, 'hasVideoInput'>,
  report: VendorReport = {},
): number {
  const endpoint = endpoints.find(({ modelId }) => modelId === model)!;
  const { terms, mostNanos } = quoteVideo({ ...video, hasVideoInput: false }, endpoint);
  const nanos = costOfReport(terms, report);
  expect(mostNanos).toBeGreaterThanOrEqual(nanos);
  return Number(nanos) / 1e9;
}
