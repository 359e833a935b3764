import { hash } from 'node:crypto';
import type { BroadcastEvent } from '../../domain/broadcast/event.ts';
import { readTraceId, type SpanIds } from '../../domain/broadcast/trace-id.ts';

type IdFacts = Pick<BroadcastEvent, 'generationId' | 'workspaceId' | 'facts'>;

/**
 * Returns the ids of a generation's span. They are derived from the generation alone, so that a repeated span is
 * recognized. A `trace_id` that is no trace id of OpenTelemetry is hashed together with the workspace, because equal
 * texts of two workspaces must not join their traces.
 */
export function spanIdsOf({ generationId, workspaceId, facts }: IdFacts): SpanIds {
  const digest = hash('sha256', generationId);
  const spanId = digest.slice(0, 16);
  const given = readTraceId(facts.trace?.['trace_id']);
  if (given === null) return { traceId: digest.slice(16, 48), spanId };
  if ('id' in given) return { traceId: given.id, spanId };
  return {
    traceId: hash('sha256', `${workspaceId}\n${given.text}`).slice(0, 32),
    spanId,
    traceIdText: given.text,
  };
}
