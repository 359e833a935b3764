/** Turns the chosen range into moments that begin and end with whole periods, as the rollups of the API do. */
import type { OverviewSearch } from './view.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface Span {
  start: number;
  end: number;
  granularity: 'hour' | 'day';
}

const LENGTHS = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS, '90d': 90 * DAY_MS } as const;

/** Returns the span of a search. The present period counts, although it has not ended. */
export function spanOf({ range = '7d', from, to }: OverviewSearch, now: number): Span {
  if (range === 'custom' && from !== undefined && to !== undefined && from <= to) {
    const [start, end] = [Date.parse(from), Date.parse(to) + DAY_MS];
    return { start, end, granularity: end - start <= 7 * DAY_MS ? 'hour' : 'day' };
  }
  const length = LENGTHS[range === 'custom' ? '7d' : range];
  const granularity = length <= LENGTHS['7d'] ? 'hour' : 'day';
  const period = granularity === 'hour' ? HOUR_MS : DAY_MS;
  const end = (Math.floor(now / period) + 1) * period;
  return { start: end - length, end, granularity };
}

/** Returns the span of the same length that ends where this one begins. */
function previousOf({ start, end, granularity }: Span): Span {
  return { start: start - (end - start), end: start, granularity };
}

/** Returns the other range that a search asks for; undefined if it compares nothing. */
export function comparedOf(
  { compare, compare_from: from, compare_to: to }: OverviewSearch,
  span: Span,
): Span | undefined {
  if (compare === undefined) return undefined;
  if (compare === 'previous' || from === undefined || to === undefined || from > to) return previousOf(span);
  return { start: Date.parse(from), end: Date.parse(to) + DAY_MS, granularity: span.granularity };
}

/** Returns the starts of all periods of a span, in milliseconds. */
export function periodsOf({ start, end, granularity }: Span): number[] {
  const period = granularity === 'hour' ? HOUR_MS : DAY_MS;
  return Array.from({ length: Math.ceil((end - start) / period) }, (_, index) => start + index * period);
}
