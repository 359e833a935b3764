import { isSampled } from '../sampling.ts';

/**
 * Whether a destination's share of generations includes one. The session decides if there is one, else the trace, so that
 * what belongs together is sent or left out as a whole. All destinations share one sample: what one with a lower rate
 * receives, one with a higher rate receives too.
 */
export function isInShare(generation: { sessionId: string | null }, traceId: string, rate: number): boolean {
  return isSampled('broadcast', generation.sessionId ?? traceId, rate);
}
