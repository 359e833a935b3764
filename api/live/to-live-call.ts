import type { Principal } from '../../domain/principal.ts';
import type { LiveCall } from '../../services/live/live-call.ts';
import type { AnyCall } from '../http/route.ts';

interface TextRequestParts<Body> extends AnyCall {
  principal: Principal;
  body: Body & { session_id?: string | null | undefined };
  headers: { 'x-session-id'?: string | undefined };
}

/** Returns a request as the services take it. The session of the body wins over that of the header; an empty one is none. */
export function toLiveCall<Body>(call: TextRequestParts<Body>): LiveCall<Body> {
  const { principal, client, body, headers, openMemory, waits } = call;
  const sessionId = body.session_id || headers['x-session-id'] || null;
  return { principal, client, body, sessionId, signal: call.gone(), openMemory, waits };
}
