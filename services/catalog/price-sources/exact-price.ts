/** Turns the floats of price sources into exact decimals, by moving digits instead of dividing. */
import { formatPrice, parsePrice } from '../../../domain/catalog/token-price.ts';
import { PriceSourceError } from './source-model.ts';

/** The digits after the point of a price, as bills use them. */
const DIGITS = 18;
/** No token costs this many dollars. */
const MAX_DOLLARS = 1_000_000;

/**
 * Returns the dollars of one unit as the shortest decimal: 1.25e-6 is `0.00000125`. `zeros` is the power of ten of
 * units that the value pays for: with 6, it is the price of a million. Digits beyond the 18th are rounded.
 *
 * @param place Where the value stands in the source, for the error.
 */
export function exactPrice(value: unknown, zeros: number, place: string): string {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > MAX_DOLLARS) {
    throw new PriceSourceError(`${place} must be a number of dollars from 0 to ${MAX_DOLLARS}`);
  }
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponent) - zeros;
  const padded = point > 0 ? digits.padEnd(point, '0') : '0'.repeat(1 - point) + digits;
  const at = Math.max(point, 1);
  const decimal = `${padded.slice(0, at)}.${padded.slice(at, at + DIGITS) || '0'}`;
  const rounding = (padded[at + DIGITS] ?? '0') >= '5' ? 1n : 0n;
  return formatPrice(parsePrice(decimal) + rounding);
}
