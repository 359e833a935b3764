import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import { toJson } from './to-json.ts';

/** Returns one line of a `.jsonl` object: a trace with one generation as its observation. */
export function traceLine(span: BroadcastSpan, exportedAt: string): string {
  const { identity, environment, release } = span;
  const trace = {
    id: span.traceId,
    name: span.traceName ?? span.name,
    externalId: span.traceIdText,
    userId: identity?.externalUser,
    sessionId: span.sessionId,
    environment,
    release,
    metadata: span.metadata,
    observations: [observation(span)],
  };
  return `${toJson({ trace, exported_at: exportedAt })}\n`;
}

function observation(span: BroadcastSpan): Record<string, unknown> {
  const { startedAtMs, timeToFirstTokenMs, content, error } = span;
  return {
    id: span.spanId,
    parentObservationId: span.parentSpanId,
    type: 'GENERATION',
    name: span.name,
    generationId: span.generationId,
    operation: span.operation,
    outputType: span.outputType,
    startTime: isoTime(startedAtMs),
    completionStartTime:
      timeToFirstTokenMs === undefined ? undefined : isoTime(startedAtMs + timeToFirstTokenMs),
    endTime: isoTime(span.endedAtMs),
    level: error === undefined ? 'DEFAULT' : 'ERROR',
    error,
    model: span.responseModel,
    requestModel: span.requestModel,
    provider: span.provider,
    stream: span.streamed,
    modelParameters: span.parameters,
    finishReason: span.finishReason,
    usage: span.usage,
    cost: span.cost,
    costAllocation: span.costAllocation,
    input: content?.input,
    system: content?.system,
    tools: content?.tools,
    output: content?.output,
    contentDropped: span.isContentDropped || undefined,
    attempts: span.attempts,
    identity: span.identity,
    requestContext: span.requestContext,
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
