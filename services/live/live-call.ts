/** Defines the request that every live operation receives, with its caller, memory and waiting times. */
import type { Caller } from '../../domain/principal.ts';
import type { AnswerInFlight } from '../../platform/answers-in-flight.ts';

/** A validated request of a live operation, with its caller. */
export interface LiveCall<Body> extends Caller {
  body: Body;
  /** The session's id from the body, or else from the header. */
  sessionId: string | null;
  /** Aborted when the caller disconnects; the reason is a `CutOffError` when the gateway closed the connection. */
  signal: AbortSignal;
  /** Opens an account for the memory that this request uses besides its body. */
  openMemory(): RequestMemory;
  /** The memory of the answer. */
  answer: AnswerInFlight;
  /** Records how long the request waited for upstreams. */
  waits: Waits;
}

/**
 * The times in milliseconds that a request waited for others. The gateway itself used the rest of the request's
 * duration.
 */
export interface Waits {
  /** The time until the caller's body had arrived, and until other requests near a spending limit made way. */
  callerMs: number;
  upstreamMs: number;
}

/**
 * Memory that counts together with the bodies of all requests. It is released when the answer is sent or the caller
 * has disconnected.
 */
export interface RequestMemory {
  /**
   * Takes memory. Throws `rate_limited` when the organization has used up its share, and `unavailable` when none is
   * left.
   */
  take(bytes: number): void;
}
