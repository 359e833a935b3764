/** Chooses for each part of a time range whether analytics read rollups or single generations. */
import { DIMENSIONS } from './analytics-dimensions.ts';
import type { AnalyticsQuery, TimeRange } from './analytics-query.ts';

/** The table that a part of the range is read from: rows of the ledger, or hourly or daily rollups. */
export type Source = 'rows' | 'hours' | 'days';

export interface PlanPart extends TimeRange {
  source: Source;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Splits a range into parts, in order, without gap or overlap. Whole days and whole hours come from the rollups, the
 * rest at the edges from the rows. A query that the rollups cannot answer is read from the rows alone.
 */
export function planParts(
  query: Pick<AnalyticsQuery, 'dimensions' | 'filters' | 'granularity' | 'classifier'>,
  { start, end }: TimeRange,
): PlanPart[] {
  if (needsRows(query)) return [{ source: 'rows', start, end }];
  const firstHour = ceil(start, HOUR_MS);
  const lastHour = floor(end, HOUR_MS);
  if (firstHour >= lastHour) return [{ source: 'rows', start, end }];
  const firstDay = ceil(firstHour, DAY_MS);
  const lastDay = floor(lastHour, DAY_MS);
  const whole: PlanPart[] =
    query.granularity === 'hour' || firstDay >= lastDay
      ? [{ source: 'hours', start: firstHour, end: lastHour }]
      : [
          { source: 'hours', start: firstHour, end: firstDay },
          { source: 'days', start: firstDay, end: lastDay },
          { source: 'hours', start: lastDay, end: lastHour },
        ];
  const parts: PlanPart[] = [
    { source: 'rows', start, end: firstHour },
    ...whole,
    { source: 'rows', start: lastHour, end },
  ];
  return parts.filter((part) => part.start < part.end);
}

function needsRows({
  dimensions,
  filters,
  granularity,
  classifier,
}: Parameters<typeof planParts>[0]): boolean {
  if (granularity === 'minute' || classifier !== undefined) return true;
  const used = [...dimensions, ...filters.map(({ field }) => field)];
  return used.some((name) => !DIMENSIONS[name].isRolledUp);
}

/** Rounds down to a multiple of the unit. UTC has no summer time, and Unix time no leap seconds. */
function floor(at: Date, unitMs: number): Date {
  return new Date(Math.floor(at.getTime() / unitMs) * unitMs);
}

function ceil(at: Date, unitMs: number): Date {
  return new Date(Math.ceil(at.getTime() / unitMs) * unitMs);
}
