/** A calendar day in UTC, `YYYY-MM-DD`. Such strings sort chronologically. */
export type UtcDay = string;

const DAY_MS = 86_400_000;

export function utcDayOf(at: Date): UtcDay {
  return at.toISOString().slice(0, 10);
}

export function addDays(day: UtcDay, days: number): UtcDay {
  return utcDayOf(new Date(startOf(day).getTime() + days * DAY_MS));
}

/** Returns the midnight at which a day begins. */
export function startOf(day: UtcDay): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** Returns the days from `first` to `last`, both included; none if `last` is before `first`. */
export function daysBetween(first: UtcDay, last: UtcDay): UtcDay[] {
  const days: UtcDay[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}
