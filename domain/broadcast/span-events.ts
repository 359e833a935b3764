/** Adds the upstream attempts and the failure of a generation to its span as events. */
import { type Attributes, presentAttributes } from './attribute.ts';
import { GEN_AI, GENERAL, SLUICE } from './semantic-names.ts';
import type { BroadcastSpan } from './span.ts';

/** An event at a point in time within a span. */
export interface SpanEvent {
  name: string;
  atMs: number;
  attributes: Attributes;
}

/**
 * Returns one event for each call of an upstream, and one for the failure. The gateway calls upstreams one after
 * another, so an attempt ends after the sum of the latencies up to it.
 */
export function spanEvents(span: BroadcastSpan): SpanEvent[] {
  const { attempts, error, startedAtMs, endedAtMs } = span;
  let atMs = startedAtMs;
  const events: SpanEvent[] = attempts.map(({ provider, status, error: failure, latencyMs }, index) => {
    atMs = Math.min(endedAtMs, atMs + (latencyMs ?? 0));
    return {
      name: 'sluice.attempt',
      atMs,
      attributes: presentAttributes({
        [SLUICE.attemptNumber]: index + 1,
        [GEN_AI.providerName]: provider,
        [GENERAL.httpStatus]: status,
        [GENERAL.errorType]: failure,
        [SLUICE.attemptLatency]: latencyMs,
      }),
    };
  });
  if (error === undefined) return events;
  const attributes = { [GENERAL.exceptionType]: error.type, [GENERAL.exceptionMessage]: error.message };
  return [...events, { name: 'exception', atMs: endedAtMs, attributes: presentAttributes(attributes) }];
}
