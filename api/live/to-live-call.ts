/** Converts a generation request to the call that the live services take. */
import type { Principal } from '../../domain/principal.ts';
import type { LiveCall } from '../../services/live/live-call.ts';
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
