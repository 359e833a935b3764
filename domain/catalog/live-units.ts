/** Computes the vendor's own units of requests for pictures and speech. */
import { type Amount, formatMicros, toMicros } from '../amount.ts';

/** The names of the numbers of units, which are added up. */
export const UNIT_RATES = ['per_request', 'per_image', 'per_megapixel', 'per_character'] as const;
export type UnitRates = Partial<Record<(typeof UNIT_RATES)[number], Amount>>;

/** The units that requests to an endpoint take, such as fal's billable units or ElevenLabs' credits. */
export interface LiveUnits {
  /** The number that the vendor documents. Absent: `most`. */
  usual?: UnitRates;
  /** The number that no request exceeds. It is reserved. */
  most: UnitRates;
}

/** The facts about a request that determine its units. Absent: none. */
export interface UnitBasis {
  images?: number;
  megapixels?: number;
  characters?: number;
}

/** The reasons to look at a bill by units; see `billing-flag.ts` of videos. */
export type UnitsFlag = 'not_reported' | 'above_estimate' | 'below_estimate';

/** The factor between report and estimate from which on a bill is flagged. */
const FAR = 3n;
const MICROS = 1_000_000n;

export function unitsOf(rates: UnitRates, { images = 0, megapixels = 0, characters = 0 }: UnitBasis): Amount {
  const rate = (name: keyof UnitRates): bigint => toMicros(rates[name] ?? '0');
  const pixels = BigInt(Math.round(megapixels * Number(MICROS)));
  return formatMicros(
    rate('per_request') +
      rate('per_image') * BigInt(images) +
      rate('per_character') * BigInt(characters) +
      (rate('per_megapixel') * pixels + MICROS - 1n) / MICROS,
  );
}

/** Returns the reason to look at a bill by units; null if there is none. */
export function unitsFlagOf(reported: Amount | undefined, estimate: Amount): UnitsFlag | null {
  if (reported === undefined) return 'not_reported';
  const [units, usual] = [toMicros(reported), toMicros(estimate)];
  if (units > FAR * usual) return 'above_estimate';
  return units * FAR < usual ? 'below_estimate' : null;
}
