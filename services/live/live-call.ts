import type { ClientFacts, Principal } from '../../domain/principal.ts';

/** A validated request of a text operation, and who makes it. */
export interface LiveCall<Body> {
  principal: Principal;
  client: ClientFacts;
  body: Body;
  /** From the body, else from the header. */
  sessionId: string | null;
  /** Aborted when the caller is gone; with a `CutOffError` where the gateway closed the connection. */
  signal: AbortSignal;
  /** Opens an account for what this request makes the process hold besides its body. */
  openMemory(): RequestMemory;
  /** Notes how long the request waited for upstreams. */
  waits: Waits;
}

/** How long a request waited for somebody else, in milliseconds. The rest of its time is the gateway's own. */
export interface Waits {
  /** For the caller's body. */
  callerMs: number;
  upstreamMs: number;
}

/** Memory that counts among the bodies of all requests. It is given back when the answer is out or the caller gone. */
export interface RequestMemory {
  /** Throws `rate_limited` when the organization holds its share already, and `unavailable` when no memory is left. */
  take(bytes: number): void;
}
