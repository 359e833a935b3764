/** Reads and multiplies amounts of units, such as tokens, credits or megapixels, without floats. */

/** A decimal number of units without an exponent, at least zero, with at most six digits after the point. */
export type Amount = string;

/** An amount in millionths. */
export type Micros = bigint;

const DIGITS = 6;
/** Far above every count of a real vendor; a larger number is an error of the vendor. */
const MOST_WHOLE_DIGITS = 15;

/**
 * Returns the amount that a vendor's JSON or header states, rounded half up to six digits. Undefined for everything
 * that is not a number of units, such as a negative number.
 */
export function readAmount(value: unknown): Amount | undefined {
  if (typeof value === 'number')
    return value < 10 ** MOST_WHOLE_DIGITS ? readDecimal(value.toFixed(12)) : undefined;
  return typeof value === 'string' ? readDecimal(value.trim()) : undefined;
}

function readDecimal(text: string): Amount | undefined {
  const match = /^0*(\d+)(?:\.(\d{0,100}))?$/.exec(text);
  const [, whole = '', fraction = ''] = match ?? [];
  if (match === null || whole.length > MOST_WHOLE_DIGITS) return undefined;
  const cut = toMicros(`${whole}.${fraction.slice(0, DIGITS)}`);
  return formatMicros((fraction[DIGITS] ?? '0') >= '5' ? cut + 1n : cut);
}

export function toMicros(amount: Amount): Micros {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(DIGITS, '0'));
}

export function formatMicros(micros: Micros): Amount {
  const digits = micros.toString().padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -DIGITS) : `${digits.slice(0, -DIGITS)}.${fraction}`;
}
