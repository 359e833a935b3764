/**
 * Money is integer nanodollars as `bigint`: exact in sums, never a float. JSON numbers exist only at the
 * edge of the API.
 */
export type Nanos = bigint;

const NANOS_PER_USD = 1_000_000_000n;

/**
 * A decimal string such as a catalog price (`"0.0000015"`) as nanodollars, rounded half up to the nano.
 * Throws a TypeError on anything that is not a plain decimal.
 */
export function parseUsd(decimal: string): Nanos {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal);
  if (match === null) throw new TypeError(`not a decimal amount: ${decimal}`);
  const [, sign, whole = '0', fraction = ''] = match;
  const nanos = BigInt(whole) * NANOS_PER_USD + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  const rounded = nanos + ((fraction[9] ?? '0') >= '5' ? 1n : 0n);
  return sign === '-' ? -rounded : rounded;
}

/** For JSON only. Exact to the nano up to a million dollars, far above any single answer. */
export function nanosToUsd(nanos: Nanos): number {
  return Number(nanos) / 1e9;
}

/** A JSON number of dollars (a key's limit) as nanodollars, rounded to the nano. */
export function usdToNanos(usd: number): Nanos {
  return parseUsd(usd.toFixed(9));
}

/** Exactly, without zeros at the end: `12.5`, `-0.000000001`. */
export function formatUsd(nanos: Nanos): string {
  const digits = (nanos < 0n ? -nanos : nanos).toString().padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${nanos < 0n ? '-' : ''}${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`}`;
}
