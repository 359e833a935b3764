/** Decides whether the conditions of an entry of prices hold for a request. */
import { type PriceConditions, WEEKDAYS } from './token-pricing.ts';
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
  /** The modalities that the answer may have, but need not. */
  possibleModalities?: readonly Modality[] | undefined;
}

/** The verdicts on the conditions of an entry. */
export const [NO, PERHAPS, YES] = [0, 1, 2] as const;
export type Verdict = typeof NO | typeof PERHAPS | typeof YES;

/** Returns whether an entry applies to a request, as far as the request is known. */
export function verdictOn(entry: PriceConditions, request: Circumstances): Verdict {
  if (entry.serviceTier !== undefined && entry.serviceTier !== request.serviceTier) return NO;
  if (entry.validFrom !== undefined && Date.parse(entry.validFrom) > request.startedAtMs) return NO;
  const { inputModality, outputModality } = entry;
  if (inputModality !== undefined && request.inputModalities?.includes(inputModality) !== true) return NO;
  const byOutput = outputModality === undefined ? YES : verdictOnOutput(outputModality, request);
  if (byOutput === NO) return NO;
  const byTime = hasTimes(entry) ? verdictOnTime(entry, request) : YES;
  const byLength = verdictOnLength(entry.minPromptTokens, request.promptTokens);
  return Math.min(byOutput, byTime, byLength) as Verdict;
}

function verdictOnOutput(
  modality: Modality,
  { outputModalities, possibleModalities }: Circumstances,
): Verdict {
  if (outputModalities?.includes(modality)) return YES;
  return possibleModalities?.includes(modality) ? PERHAPS : NO;
}

function verdictOnLength(edge: number | undefined, [least, most]: Circumstances['promptTokens']): Verdict {
  if (edge === undefined || least > edge) return YES;
  return most > edge ? PERHAPS : NO;
}

function hasTimes({ utcStart, utcDays }: PriceConditions): boolean {
  return utcStart !== undefined || utcDays !== undefined;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** Looks at each moment at which the verdict may change, between the earliest and the latest deciding moment. */
function verdictOnTime(entry: PriceConditions, { startedAtMs, endedAtMs }: Circumstances): Verdict {
  const [earliest, latest] = entry.utcMoment === 'end' ? endedAtMs : [startedAtMs, startedAtMs];
  const from = Math.floor(earliest / MINUTE_MS);
  const until = Math.floor(latest / MINUTE_MS);
  if (from === until) return holdsAt(entry, from) ? YES : NO;
  const moments = [from];
  for (const edge of [0, minutesOf(entry.utcStart ?? 0), minutesOf(entry.utcEnd ?? 0)]) {
    const next = from + ((edge - (from % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES);
    for (let moment = next; moment <= until; moment += DAY_MINUTES) moments.push(moment);
  }
  const holding = moments.filter((moment) => holdsAt(entry, moment)).length;
  if (holding === 0) return NO;
  return holding === moments.length ? YES : PERHAPS;
}

/** `moment` counts minutes since the epoch of Unix time. */
function holdsAt({ utcStart, utcEnd, utcDays }: PriceConditions, moment: number): boolean {
  if (utcDays !== undefined) {
    const day = new Date(moment * MINUTE_MS).getUTCDay();
    if (!utcDays.includes(WEEKDAYS[day]!)) return false;
  }
  if (utcStart === undefined || utcEnd === undefined) return true;
  const [minute, start, end] = [moment % DAY_MINUTES, minutesOf(utcStart), minutesOf(utcEnd)];
  return start < end ? minute >= start && minute < end : minute >= start || minute < end;
}

/** Converts HHMM, such as 1030, to minutes since midnight. */
function minutesOf(clock: number): number {
  return Math.floor(clock / 100) * 60 + (clock % 100);
}
