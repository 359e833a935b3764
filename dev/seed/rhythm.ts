/** Distributes synthetic generations over hours and weekdays, like real traffic. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The traffic of each hour of the day (UTC), relative to the average: quiet nights, a first peak, a higher second. */
const OF_HOUR = [
  0.45, 0.38, 0.33, 0.31, 0.33, 0.42, 0.6, 0.85, 1.15, 1.35, 1.42, 1.38, 1.3, 1.42, 1.6, 1.68, 1.62, 1.5,
  1.32, 1.15, 1.02, 0.88, 0.72, 0.57,
] as const;
/** The traffic of each weekday, beginning with Sunday. */
const OF_WEEKDAY = [0.52, 1.05, 1.12, 1.14, 1.1, 0.98, 0.58] as const;
/** The traffic of the first day, relative to the last. */
const GROWN_FROM = 0.55;

export interface Hour {
  startMs: number;
  generations: number;
}

/** Spreads all generations over the hours before `untilMs`, in order. */
export function spreadOverHours(generations: number, days: number, untilMs: number): Hour[] {
  const startMs = untilMs - days * DAY_MS;
  const weights = Array.from({ length: days * 24 }, (_, n) => {
    const at = new Date(startMs + n * HOUR_MS);
    const growth = GROWN_FROM + (1 - GROWN_FROM) * (n / (days * 24));
    return OF_HOUR[at.getUTCHours()]! * OF_WEEKDAY[at.getUTCDay()]! * growth;
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let weight = 0;
  let spent = 0;
  return weights.map((own, n) => {
    weight += own;
    const due = Math.round((generations * weight) / total);
    const hour = { startMs: startMs + n * HOUR_MS, generations: due - spent };
    spent = due;
    return hour;
  });
}
