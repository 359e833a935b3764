import type { ClientFacts, Principal } from '../../domain/principal.ts';

/** A validated request of a text operation, and who makes it. */
export interface LiveCall<Body> {
  principal: Principal;
  client: ClientFacts;
  body: Body;
  /** From the body, else from the header. */
  sessionId: string | null;
  /** Aborted when the caller is gone. */
  signal: AbortSignal;
}
