/**
 * Reads `off_peak_pricing` of LiteLLM's map: prices that replace others in windows of the day, on some days of the week
 * (docs.litellm.ai/docs/proxy/off_peak_pricing, read 2026-11-28). Starts are inside and ends are outside. Equal start
 * and end mean the whole day. Weekdays count from Monday as 1, which follows from the entries of DeepSeek.
 */
import { z } from 'zod';
import { type PriceConditions, WEEKDAYS } from '../../../domain/catalog/token-pricing.ts';

const hours = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/);
const windows = z.object({
  // Only days of UTC have a form in the catalog.
  weekday_timezone: z.literal('UTC').optional(),
  windows: z
    .array(
      z.strictObject({
        hours_utc: z.union([hours, z.array(hours).min(1)]),
        weekdays: z.array(z.int().min(1).max(7)).min(1).optional(),
      }),
    )
    .min(1),
});

/** Returns the conditions of all windows; undefined for a form that a catalog cannot hold. */
export function offPeakConditions(pricing: unknown): PriceConditions[] | undefined {
  const { data } = windows.safeParse(pricing);
  const conditions = data?.windows.flatMap(({ hours_utc: times, weekdays }) =>
    [times].flat().map((time) => ({ ...timesOf(time), ...(weekdays && { utcDays: daysOf(weekdays) }) })),
  );
  const isUsable = conditions?.every((each) => Object.keys(each).length > 0 && !mixesDays(each));
  return isUsable ? conditions : undefined;
}

function timesOf(time: string): Pick<PriceConditions, 'utcStart' | 'utcEnd'> {
  const [utcStart = 0, utcEnd = 0] = time.split('-').map((clock) => Number(clock.replace(':', '')));
  return utcStart === utcEnd ? {} : { utcStart, utcEnd };
}

function daysOf(weekdays: number[]): NonNullable<PriceConditions['utcDays']> {
  return weekdays.map((day) => WEEKDAYS[day % 7]!);
}

/** Returns whether a window of some days passes midnight: then it is open to which day its second part belongs. */
function mixesDays({ utcDays, utcStart = 0, utcEnd = 0 }: PriceConditions): boolean {
  return utcDays !== undefined && utcEnd !== 0 && utcEnd < utcStart;
}
