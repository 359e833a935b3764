import { isSampled } from '../sampling.ts';

/**
 * Returns whether a generation is in a destination's share. The session id decides, or else the trace id, so a session
 * or trace is sent or excluded as a whole. A destination with a higher rate also receives everything that one with a
 * lower rate receives.
 */
export function isInShare(generation: { sessionId: string | null }, traceId: string, rate: number): boolean {
  return isSampled('broadcast', generation.sessionId ?? traceId, rate);
}
