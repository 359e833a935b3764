/** Converts generation requests to the calls that the live services take, and makes the headers of their answers. */
import type { Principal } from '../../domain/principal.ts';
import type { EventStream } from '../../platform/event-stream.ts';
import type { ReadyJson } from '../../platform/ready-json.ts';
import type { LiveCall } from '../../services/live/live-call.ts';
import type { OutcomeFacts } from '../../services/live/pipeline/run-live.ts';
import type { TextService } from '../../services/live/pipeline/text-operation.ts';
import type { AnyCall } from '../http/route.ts';

interface TextRequestParts<Body> extends AnyCall {
  principal: Principal;
  body: Body & { session_id?: string | null | undefined };
  headers: { 'x-session-id'?: string | undefined };
}

/**
 * Converts a request for the services. The session of the body takes precedence over the header's; an empty one counts
 * as none.
 */
export function toLiveCall<Body>(call: TextRequestParts<Body>): LiveCall<Body> {
  const { principal, client, body, headers, openMemory, openAnswer, waits } = call;
  const sessionId = body.session_id || headers['x-session-id'] || null;
  return {
    principal,
    client,
    body,
    sessionId,
    signal: call.gone(),
    openMemory,
    answer: openAnswer(principal),
    waits,
  };
}

/** The headers of every stream of server-sent events. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies such as nginx would otherwise buffer the events.
  'x-accel-buffering': 'no',
};

/** Answers a text request as a whole, or as a stream of events if its body asks for one. */
export async function answerText<Body, Shown>(
  service: TextService<Body, unknown>,
  call: LiveCall<NoInfer<Body> & { stream?: boolean | null | undefined }>,
): Promise<{ status: 200; headers: Record<string, string>; body: Shown | EventStream | ReadyJson }> {
  if (call.body.stream === true) {
    const { events, ...facts } = await service.stream(call);
    return { status: 200, headers: { ...EVENT_STREAM_HEADERS, ...textAnswerHeaders(facts) }, body: events };
  }
  const { answer, ...facts } = await service.create(call);
  // The adapter has checked the upstream's answer, and the service has added the contract's own fields.
  return { status: 200, headers: textAnswerHeaders(facts), body: answer as Shown };
}

/** Returns the headers of every answer of a generation. */
export function answerHeaders({
  generationId,
  sunset,
}: Pick<OutcomeFacts, 'generationId' | 'sunset'>): Record<string, string> {
  return sunset === undefined
    ? { 'x-generation-id': generationId }
    : { 'x-generation-id': generationId, sunset };
}

/** Returns the headers of every answer of a text generation, streamed or not. */
function textAnswerHeaders({
  generationId,
  sunset,
  outputLimit,
  droppedTools = [],
  droppedFields = [],
}: OutcomeFacts): Record<string, string> {
  return {
    ...answerHeaders({ generationId, sunset }),
    ...(outputLimit === undefined ? {} : { 'x-output-limit': `${outputLimit}` }),
    ...(droppedTools.length === 0 ? {} : { 'Sluice-Dropped-Tools': droppedTools.join(', ') }),
    ...(droppedFields.length === 0 ? {} : { 'Sluice-Dropped-Fields': droppedFields.join(', ') }),
  };
}
