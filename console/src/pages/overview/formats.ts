/** Writes the values of metrics in their units, and periods: hours in the own time zone, days in UTC. */
import { exactUsd, formatCompact, formatMs, formatShare, formatUsd } from '../../format/numbers.ts';
import { METRICS, type Metric } from './view.ts';

const FORMATS = { usd: formatUsd, count: formatCompact, share: formatShare, ms: formatMs };

export function formatMetric(metric: Metric, value: number | null | undefined): string {
  return FORMATS[METRICS[metric].format](value);
}

/** Returns all digits of a value, as the API gave them. */
export function exactMetric(metric: Metric, value: number | null): string | undefined {
  if (value === null) return undefined;
  if (METRICS[metric].format === 'usd') return exactUsd(value);
  return value.toLocaleString(undefined, { maximumFractionDigits: 15 });
}

const day = { month: 'short', day: 'numeric' } as const;
const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

const utcDay = new Intl.DateTimeFormat(undefined, { ...day, timeZone: 'UTC' });
const localDay = new Intl.DateTimeFormat(undefined, day);
const localTime = new Intl.DateTimeFormat(undefined, time);
const localHour = new Intl.DateTimeFormat(undefined, { ...day, ...time });

/** Returns the text below a line of the grid. Midnight is the day that begins. */
export function formatTick(seconds: number, isDaily: boolean): string {
  const at = new Date(seconds * 1_000);
  if (isDaily) return utcDay.format(at);
  return at.getHours() === 0 && at.getMinutes() === 0 ? localDay.format(at) : localTime.format(at);
}

export function formatPeriod(seconds: number, isDaily: boolean): string {
  return (isDaily ? utcDay : localHour).format(new Date(seconds * 1_000));
}
