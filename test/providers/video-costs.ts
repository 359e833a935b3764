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

/** Returns the dollars of a video by the vendor's report, or by the estimate, and the most that are reserved for it. */
export function costsOf(
  { endpoints }: CatalogFile,
  model: string,
  video: Omit<PricedVideo, 'hasVideoInput'>,
  report: VendorReport = {},
): { dollars: number; most: number } {
  const endpoint = endpoints.find(({ modelId }) => modelId === model)!;
  const { terms, mostNanos } = quoteVideo({ ...video, hasVideoInput: false }, endpoint);
  return { dollars: Number(costOfReport(terms, report)) / 1e9, most: Number(mostNanos) / 1e9 };
}

/** Returns those dollars. Expects that no less is reserved. */
export function dollarsOf(...video: Parameters<typeof costsOf>): number {
  const { dollars, most } = costsOf(...video);
  expect(most).toBeGreaterThanOrEqual(dollars);
  return dollars;
}
