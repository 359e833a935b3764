/** Writes the value of a metric in its unit. */
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
