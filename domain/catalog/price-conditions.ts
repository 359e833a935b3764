/** Chooses the prices of an endpoint that apply to a request, where prices depend on conditions. */
import {
  PRICE_INSTEAD,
  PRICE_NAMES,
  type PriceConditions,
  type PriceOverride,
  type TokenPrices,
  type TokenPricing,
  WEEKDAYS,
} from './token-pricing.ts';
import { parsePrice } from './token-price.ts';
import type { Modality } from '../modality.ts';

/** Describes a request as far as it is known. Before it ends, some of it is a range. */
export interface Circumstances {
  /** The least and the most tokens of the whole prompt, cached ones included. */
  promptTokens: readonly [least: number, most: number];
  /** In Unix milliseconds, like the earliest and the latest end. */
  startedAtMs: number;
  endedAtMs: readonly [earliest: number, latest: number];
  /** Undefined: the standard tier. */
  serviceTier?: string | undefined;
  inputModalities?: readonly Modality[] | undefined;
  outputModalities?: readonly Modality[] | undefined;
}

/** The verdicts on the conditions of an entry. */
const [NO, PERHAPS, YES] = [0, 1, 2] as const;
type Verdict = typeof NO | typeof PERHAPS | typeof YES;

/** Caches the prices by the verdicts on all entries, of which few combinations occur. */
const knownPrices = new WeakMap<TokenPricing, Map<number, TokenPrices>>();

/**
 * Returns the prices under these circumstances. Of the entries that apply, later ones win, for each price by itself.
 * Where it is open whether an entry applies, the higher price counts.
 */
export function pricesUnder(pricing: TokenPricing, circumstances: Circumstances): TokenPrices {
  const { overrides } = pricing;
  if (overrides === undefined || overrides.length === 0) return pricing;
  let key = 0;
  for (const entry of overrides) key = key * 3 + verdictOn(entry, circumstances);
  let known = knownPrices.get(pricing);
  if (known === undefined) knownPrices.set(pricing, (known = new Map()));
  let prices = known.get(key);
  if (prices === undefined) {
    prices = mergePrices(
      pricing,
      overrides.map((entry) => [entry, verdictOn(entry, circumstances)]),
    );
    known.set(key, prices);
  }
  return prices;
}

function mergePrices(
  { overrides: _entries, ...base }: TokenPricing,
  entries: readonly (readonly [PriceOverride, Verdict])[],
): TokenPrices {
  const merged: TokenPrices = { ...base };
  for (const name of PRICE_NAMES) {
    let possible: (string | undefined)[] = [base[name]];
    for (const [entry, verdict] of entries) {
      const price = entry[name];
      if (price === undefined || verdict === NO) continue;
      possible = verdict === YES ? [price] : [...possible, price];
    }
    // The names stand in such an order that the price in place of an absent one is merged before.
    const defaultPrice = priceInstead(merged, name);
    const price = possible.length === 1 ? possible[0] : dearest(possible.map((p) => p ?? defaultPrice));
    if (price !== undefined) merged[name] = price;
  }
  return merged;
}

/** Returns what tokens without a price of their own cost. */
function priceInstead(prices: TokenPrices, name: keyof TokenPrices): string {
  const instead = PRICE_INSTEAD[name];
  return instead === undefined ? '0' : (prices[instead] ?? priceInstead(prices, instead));
}

function dearest(prices: readonly string[]): string {
  return prices.reduce((most, price) => (parsePrice(price) > parsePrice(most) ? price : most));
}

function verdictOn(entry: PriceConditions, { promptTokens, ...request }: Circumstances): Verdict {
  if (entry.serviceTier !== undefined && entry.serviceTier !== request.serviceTier) return NO;
  if (entry.validFrom !== undefined && Date.parse(entry.validFrom) > request.startedAtMs) return NO;
  const { inputModality, outputModality } = entry;
  if (inputModality !== undefined && request.inputModalities?.includes(inputModality) !== true) return NO;
  if (outputModality !== undefined && request.outputModalities?.includes(outputModality) !== true) return NO;
  const byTime = hasTimes(entry) ? verdictOnTime(entry, request) : YES;
  const [least, most] = promptTokens;
  const { minPromptTokens: edge } = entry;
  if (edge === undefined || least > edge) return byTime;
  return most > edge && byTime !== NO ? PERHAPS : NO;
}

function hasTimes({ utcStart, utcDays }: PriceConditions): boolean {
  return utcStart !== undefined || utcDays !== undefined;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** Looks at each moment at which the verdict may change, between the earliest and the latest deciding moment. */
function verdictOnTime(
  entry: PriceConditions,
  { startedAtMs, endedAtMs }: Omit<Circumstances, 'promptTokens'>,
): Verdict {
  const [earliest, latest] = entry.utcMoment === 'end' ? endedAtMs : [startedAtMs, startedAtMs];
  const edges = [0, minutesOf(entry.utcStart ?? 0), minutesOf(entry.utcEnd ?? 0)];
  const from = Math.floor(earliest / MINUTE_MS);
  const until = Math.floor(latest / MINUTE_MS);
  const moments = [from];
  for (const edge of edges) {
    const next = from + ((edge - (from % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES);
    for (let moment = next; moment <= until; moment += DAY_MINUTES) moments.push(moment);
  }
  const holding = moments.filter((moment) => holdsAt(entry, moment)).length;
  if (holding === 0) return NO;
  return holding === moments.length ? YES : PERHAPS;
}

/** `moment` counts minutes since the epoch of Unix time. */
function holdsAt({ utcStart, utcEnd, utcDays }: PriceConditions, moment: number): boolean {
  const day = new Date(moment * MINUTE_MS).getUTCDay();
  if (utcDays !== undefined && !utcDays.includes(WEEKDAYS[day]!)) return false;
  if (utcStart === undefined || utcEnd === undefined) return true;
  const [minute, start, end] = [moment % DAY_MINUTES, minutesOf(utcStart), minutesOf(utcEnd)];
  return start < end ? minute >= start && minute < end : minute >= start || minute < end;
}

/** Converts HHMM, such as 1030, to minutes since midnight. */
function minutesOf(clock: number): number {
  return Math.floor(clock / 100) * 60 + (clock % 100);
}
