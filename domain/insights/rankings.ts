import type { ContentCategory, ContentClass } from '../catalog/content-class.ts';
import { addDays, utcDayOf, type UtcDay } from '../utc-day.ts';

/** The rules of the rankings that are the same wherever they are asked (spec.md, `GET /datasets/rankings-daily`). */

/** The first day of the dataset. */
export const RANKINGS_BEGIN: UtcDay = '2025-01-01';

/** Models that are listed by name; the rest is one row. */
export const RANKED_MODELS = 50;

/** What stands in place of a model in the row of the rest; no model's name is without a slash. */
export const OTHER_MODELS = 'other';

const DEFAULT_WINDOW_DAYS = 30;

export const RANKINGS_PERIODS = ['day', 'week', 'month'] as const;
export type RankingsPeriod = (typeof RANKINGS_PERIODS)[number];

/** In the order of their bits in `rankings_models.surfaces`: new ones go to the end. */
export const RANKED_SURFACES = ['text', 'image', 'image_output', 'audio', 'tool_calling'] as const;
export type RankedSurface = (typeof RANKED_SURFACES)[number];

/** By the most prompt tokens that they hold. A prompt is in the smallest that holds it; a larger one is in none. */
export const CONTEXT_BUCKETS = {
  '1K': 1_000,
  '10K': 10_000,
  '100K': 100_000,
  '1M': 1_000_000,
  '10M': 10_000_000,
} as const;
export type ContextBucket = keyof typeof CONTEXT_BUCKETS;

/**
 * Which dataset is asked: the exact one, of all generations, or the one that a sample of them stands for, whose
 * grain is the week.
 */
export type RankingsSlice =
  | { dataset: 'exact'; surface?: RankedSurface; contextBucket?: ContextBucket }
  | { dataset: 'sampled'; category: ContentCategory }
  | { dataset: 'sampled'; languageType: ContentClass['languageType'] };

/** Both days included. */
export interface DayWindow {
  startDate: UtcDay;
  endDate: UtcDay;
}

/** What was asked, kept within the dataset: from its first day to yesterday. What is all later begins after its end. */
export function resolveWindow({ startDate, endDate }: Partial<DayWindow>, now: Date): DayWindow {
  const yesterday = addDays(utcDayOf(now), -1);
  const end = endDate === undefined || endDate > yesterday ? yesterday : endDate;
  const start = startDate ?? addDays(end, -DEFAULT_WINDOW_DAYS);
  return { startDate: start < RANKINGS_BEGIN ? RANKINGS_BEGIN : start, endDate: end };
}

/** How apps are ranked: by what they used in the window, or by how much more than in the three windows before. */
export const APP_RANKINGS_SORTS = ['popular', 'trending'] as const;
export type AppRankingsSort = (typeof APP_RANKINGS_SORTS)[number];

/**
 * An app's origin that says that anyone may know of it: a name of the public network. An address, a name without a
 * dot and the names of private networks say nothing to others, and something about whoever has them. Understood by
 * JavaScript and Postgres alike.
 */
export const PUBLIC_ORIGIN =
  '^https?://([^/:]+[.])+(?!(localhost|local|localdomain|internal|intranet|lan|home|corp|private|arpa)(:|$))[a-z][^./:]*(:[0-9]+)?$';
