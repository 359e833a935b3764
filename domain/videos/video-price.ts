/** Computes what a video costs: what is known at acceptance, and what the vendor counts until the end. */
import { type Amount, formatMicros, type Micros, toMicros } from '../amount.ts';
import type { VideoEndpoint } from '../catalog/catalog.ts';
import { formatPrice, parsePrice } from '../catalog/token-price.ts';
import { type Meter, METERS, type MeterRates, type VendorReport } from '../catalog/video-meters.ts';
import { type Nanos, parseUsd } from '../money.ts';
import { mostSpecific, type PricedVideo } from './video-sku.ts';

/** The prices of an endpoint for one job. They are stored with the job, so that a later change does not affect it. */
export interface VideoTerms {
  /** The part of the cost that is known at acceptance, in nanodollars. */
  fixedNanos: string;
  /** The cost of the documented units. It is billed if the vendor reports none. */
  estimateNanos: string;
  /** The units that the vendor reports at the end, with their price in dollars and their documented number. */
  meters: Partial<Record<Meter, { price: string; usual: Amount }>>;
}

/** The terms of a job's candidate endpoints, by their ids. The endpoint that accepts the job decides. */
export type JobTerms = Record<string, VideoTerms>;

/** The terms of an endpoint, and the highest cost that it can reach. */
export interface VideoQuote {
  terms: VideoTerms;
  mostNanos: Nanos;
}

/** The value of a millionth of a unit at a price of 10⁻¹⁸ dollars, in nanodollars. */
const PARTS_PER_NANO = 10n ** 15n;

/** Returns the prices of an endpoint for a video, with the estimated and the highest cost. */
export function quoteVideo(
  video: PricedVideo,
  { pricingSkus, meters = {} }: Pick<VideoEndpoint, 'pricingSkus' | 'meters'>,
): VideoQuote {
  const fixedNanos = priceOf(video, pricingSkus).toString();
  const terms: VideoTerms = { fixedNanos, estimateNanos: '0', meters: {} };
  const most: VendorReport = {};
  for (const meter of METERS) {
    const counted = meters[meter];
    const price = mostSpecific(meter, video, pricingSkus);
    if (counted === undefined || price === undefined) continue;
    const usual = unitsOf(video, counted.usual ?? counted.most);
    const highest = unitsOf(video, counted.most);
    terms.meters[meter] = { price: formatPrice(parsePrice(price)), usual: formatMicros(usual) };
    most[meter] = formatMicros(highest > usual ? highest : usual);
  }
  terms.estimateNanos = costOfReport(terms, {}).toString();
  return { terms, mostNanos: costOfReport(terms, most) };
}

/**
 * Returns the part of a video's price that is known at acceptance: `video` (per job), plus the seconds at the most
 * specific rate of `duration_seconds`.
 */
export function priceOf(video: PricedVideo, skus: Record<string, string>): Nanos {
  const perJob = parseUsd(skus['video'] ?? '0');
  const rate = mostSpecific('duration_seconds', video, skus);
  if (rate === undefined || video.durationSeconds === undefined) return perJob;
  return perJob + parseUsd(rate) * BigInt(video.durationSeconds);
}

/**
 * Returns the cost of the reported units, rounded half up once. A kind that the vendor did not report counts as
 * documented.
 */
export function costOfReport({ fixedNanos, meters }: VideoTerms, report: VendorReport): Nanos {
  let parts = 0n;
  for (const [meter, { price, usual }] of Object.entries(meters)) {
    parts += parsePrice(price) * toMicros(report[meter as Meter] ?? usual);
  }
  return BigInt(fixedNanos) + (parts + PARTS_PER_NANO / 2n) / PARTS_PER_NANO;
}

/** Returns whether the vendor reports the units of jobs with these terms. */
export function isMetered({ meters }: VideoTerms): boolean {
  return Object.keys(meters).length > 0;
}

function unitsOf(video: PricedVideo, rates: MeterRates): Micros {
  const perVideo = toMicros(rates['per_video'] ?? '0');
  const perSecond = toMicros(mostSpecific('per_second', video, rates) ?? '0');
  return perVideo + perSecond * BigInt(video.durationSeconds ?? 0);
}
