/** Reads the first and last day of a requested ranking from the query. */
import type { DayWindow } from '../../../domain/insights/rankings.ts';

export function windowOf(query: {
  start_date?: string | undefined;
  end_date?: string | undefined;
}): Partial<DayWindow> {
  const { start_date: startDate, end_date: endDate } = query;
  return { ...(startDate && { startDate }), ...(endDate && { endDate }) };
}
