import { isSampled } from '../sampling.ts';

/**
 * Returns whether a destination's share of generations includes one. The session id decides, or else the trace id, so a
 * session or trace is sent or left out as a whole. Destinations with a higher rate receive all that those with a lower
 * rate receive.
 */
export function isInShare(generation: { sessionId: string | null }, traceId: string, rate: number): boolean {
  return isSampled('broadcast', generation.sessionId ?? traceId, rate);
}
