/** Defines the public rankings of models and apps: their periods, windows and datasets. */
import type { ContentCategory, ContentClass } from '../catalog/content-class.ts';
import { addDays, utcDayOf, type UtcDay } from '../utc-day.ts';

/** Rules that all rankings share. */

/** The first day of the dataset. */
export const RANKINGS_BEGIN: UtcDay = '2025-01-01';

/** The number of models listed by name; all others share one row. */
export const RANKED_MODELS = 50;

/** Stands for the model in the row of all others. Model names contain a slash, so no model has this name. */
export const OTHER_MODELS = 'other';

const DEFAULT_WINDOW_DAYS = 30;

export const RANKINGS_PERIODS = ['day', 'week', 'month'] as const;
export type RankingsPeriod = (typeof RANKINGS_PERIODS)[number];

/** The surfaces in the order of their bits in `rankings_models.surfaces`: new ones go to the end. */
export const RANKED_SURFACES = ['text', 'image', 'image_output', 'audio', 'tool_calling'] as const;
export type RankedSurface = (typeof RANKED_SURFACES)[number];

/**
 * The most prompt tokens of each bucket. A prompt counts in the smallest bucket that holds it; a larger prompt counts
 * in none.
 */
export const CONTEXT_BUCKETS = {
  '1K': 1_000,
  '10K': 10_000,
  '100K': 100_000,
  '1M': 1_000_000,
  '10M': 10_000_000,
} as const;
export type ContextBucket = keyof typeof CONTEXT_BUCKETS;

/**
 * The dataset that a request reads: the exact one, of all generations, or the sampled one, which has weeks instead of
 * days.
 */
export type RankingsSlice =
  | { dataset: 'exact'; surface?: RankedSurface | undefined; contextBucket?: ContextBucket | undefined }
  | { dataset: 'sampled'; category: ContentCategory }
  | { dataset: 'sampled'; languageType: ContentClass['languageType'] };

/** A range of days; both ends are included. */
export interface DayWindow {
  startDate: UtcDay;
  endDate: UtcDay;
}

/**
 * Returns the requested days, clipped to the dataset: from its first day to yesterday. If all of them are later, the
 * result is empty: it begins after its end.
 */
export function resolveWindow({ startDate, endDate }: Partial<DayWindow>, now: Date): DayWindow {
  const yesterday = addDays(utcDayOf(now), -1);
  const end = endDate === undefined || endDate > yesterday ? yesterday : endDate;
  const start = startDate ?? addDays(end, -DEFAULT_WINDOW_DAYS);
  return { startDate: start < RANKINGS_BEGIN ? RANKINGS_BEGIN : start, endDate: end };
}

/** The orders of apps: by usage in the window, or by growth over the three windows before it. */
export const APP_RANKINGS_SORTS = ['popular', 'trending'] as const;
export type AppRankingsSort = (typeof APP_RANKINGS_SORTS)[number];

/**
 * Matches origins of apps that may be shown to other customers: names of the public network. Addresses, names without a
 * dot and names of private networks reveal something about their owner. JavaScript and Postgres both use the pattern.
 */
export const PUBLIC_ORIGIN =
  '^https?://([^/:]+[.])+(?!(localhost|local|localdomain|internal|intranet|lan|home|corp|private|arpa)(:|$))[a-z][^./:]*(:[0-9]+)?$';
