/** An amount in integer nanodollars: sums are exact, never floats. Only the API's JSON has numbers. */
export type Nanos = bigint;

const NANOS_PER_USD = 1_000_000_000n;

/**
 * Parses a decimal string such as a catalog price (`"0.0000015"`) into nanodollars, rounded half up. Throws a TypeError
 * on other text.
 */
export function parseUsd(decimal: string): Nanos {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal);
  if (match === null) throw new TypeError(`not a decimal amount: ${decimal}`);
  const [, sign, whole = '0', fraction = ''] = match;
  const nanos = BigInt(whole) * NANOS_PER_USD + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  const rounded = nanos + ((fraction[9] ?? '0') >= '5' ? 1n : 0n);
  return sign === '-' ? -rounded : rounded;
}

/** Returns dollars, for JSON only. Exact to the nano up to a million dollars, far above any single answer. */
export function nanosToUsd(nanos: Nanos): number {
  return Number(nanos) / 1e9;
}

/** Converts a JSON number of dollars, such as a key's limit, to nanodollars, rounded to the nano. */
export function usdToNanos(usd: number): Nanos {
  return parseUsd(usd.toFixed(9));
}

/** Returns the exact dollars without trailing zeros: `12.5`, `-0.000000001`. */
export function formatUsd(nanos: Nanos): string {
  const digits = (nanos < 0n ? -nanos : nanos).toString().padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${nanos < 0n ? '-' : ''}${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`}`;
}
