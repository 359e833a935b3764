/** Writes numbers for people: money, counts, shares and durations, each with its unit. */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const cents = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  maximumSignificantDigits: 3,
  roundingPriority: 'morePrecision',
});

/** Stands where the API gave no value. */
export const NONE = '–';

type Value = number | null | undefined;

/** `$12.30`; amounts below a dollar keep three digits: `$0.0000193`. */
export function formatUsd(value: Value): string {
  if (value == null) return NONE;
  if (value === 0) return '$0';
  const size = Math.abs(value);
  const text = size >= 1 ? dollars.format(size) : cents.format(size).replace(/(?<head>[.]\d)$/, '$<head>0');
  return `${value < 0 ? '-' : ''}$${text}`;
}

/** The amount to the last digit, for who compares it with the API's. */
export function exactUsd(value: Value): string {
  return value == null ? '' : `$${value.toLocaleString('en-US', { maximumFractionDigits: 15 })}`;
}

export function formatCount(value: Value): string {
  return value == null ? NONE : whole.format(value);
}

/** `1.2M`, where room is short. */
export function formatCompact(value: Value): string {
  if (value == null) return NONE;
  return Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value);
}

/** A share of 1 as `12.3%`. */
export function formatShare(value: Value): string {
  return value == null ? NONE : percent.format(value);
}

/** Milliseconds as `340 ms`, `1.2 s` or `2 min 5 s`. */
export function formatMs(value: Value): string {
  if (value == null) return NONE;
  if (value < 1_000) return `${Math.round(value)} ms`;
  if (value < 60_000) return `${(value / 1_000).toFixed(value < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(value / 60_000);
  const seconds = Math.round((value % 60_000) / 1_000);
  return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`;
}

/** A price of one token, which catalogs give as text, as dollars for a million. */
export function formatPerMillion(price: string | undefined): string {
  const value = Number(price ?? Number.NaN);
  if (!Number.isFinite(value)) return NONE;
  return value === 0 ? 'free' : formatUsd(value * 1_000_000);
}
