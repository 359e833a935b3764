/** Defines the units of videos that only the vendor can count, and how many of them a request takes. */
import type { Amount } from '../amount.ts';

/**
 * The kinds of units. Each is also the name of its price in `pricingSkus`.
 * - `video_tokens`: tokens of the generated video.
 * - `audio_tokens`, `text_tokens`: tokens of sound and text that the vendor counts beside those of the video.
 * - `input_tokens`: tokens of the request.
 * - `billable_units`: the vendor's own units: fal's billable units, Runway's credits, Kling's units, xAI's ticks.
 */
export const METERS = [
  'video_tokens',
  'audio_tokens',
  'input_tokens',
  'text_tokens',
  'billable_units',
] as const;
export type Meter = (typeof METERS)[number];

/** The units that a vendor reported for a job. */
export type VendorReport = Partial<Record<Meter, Amount>>;

/**
 * The units of a request: `per_video`, plus each second's. The number of a second is `per_second` or the most specific
 * entry that fits, such as `per_second_720p`, under the same endings as prices (`domain/videos/video-sku.ts`).
 */
export type MeterRates = Record<string, Amount>;

/** The units that requests to an endpoint take. */
export interface VideoMeter {
  /** The number that the vendor documents. Absent: `most`. */
  usual?: MeterRates;
  /** The number that no request exceeds. It is reserved. */
  most: MeterRates;
}

export type VideoMeters = Partial<Record<Meter, VideoMeter>>;
