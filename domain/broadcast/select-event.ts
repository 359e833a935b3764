/** Decides whether an observability destination receives a generation. */
import { isSampled } from '../sampling.ts';
import type { BroadcastRules } from './destination.ts';
import type { BroadcastEvent } from './event.ts';

/** The fields of a destination whose rules exclude generations, in the order in which they are checked. */
export const EXCLUDING_RULES = ['api_key_hashes', 'regions', 'filter_rules', 'sampling_rate'] as const;

/**
 * `sent`, or the field of the destination whose rule excludes the generation. `undecided`: its filters test a prompt or
 * an answer that is missing.
 */
export type Selection = 'sent' | 'undecided' | (typeof EXCLUDING_RULES)[number];

type SelectingRules = Pick<BroadcastRules, 'apiKeyHashes' | 'regions' | 'samplingRate'>;

/**
 * Returns whether a destination receives a generation, or else the first rule that excludes it. `passesFilters` returns
 * undefined when the filters cannot decide.
 */
export function selectEvent(
  rules: SelectingRules,
  event: BroadcastEvent,
  traceId: string,
  passesFilters: (event: BroadcastEvent) => boolean | undefined,
): Selection {
  const { apiKeyHashes, regions, samplingRate } = rules;
  if (apiKeyHashes !== null && !(event.key !== null && apiKeyHashes.includes(event.key.hash))) {
    return 'api_key_hashes';
  }
  if (!regions.includes(event.dataRegion)) return 'regions';
  const passes = passesFilters(event);
  if (passes === false) return 'filter_rules';
  if (!isInShare(event, traceId, samplingRate)) return 'sampling_rate';
  return passes === undefined ? 'undecided' : 'sent';
}

/**
 * Returns whether a generation is in a destination's share. The session id decides, or else the trace id, so a session
 * or trace is sent or excluded as a whole. A destination with a higher rate also receives everything that one with a
 * lower rate receives.
 */
export function isInShare(generation: { sessionId: string | null }, traceId: string, rate: number): boolean {
  return isSampled('broadcast', generation.sessionId ?? traceId, rate);
}
