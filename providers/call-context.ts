import type { ModelReasoning } from '../domain/catalog/model-facts.ts';

/** What a call needs besides its subject. Credentials are read from config when the adapter is built. */
export interface CallContext {
  signal: AbortSignal;
  /** For the upstream's log and ours. */
  requestId: string;
}

/** A call whose caller waits: with the times after which it is given up. */
export interface LiveCallContext extends CallContext {
  /** The longest answer that the endpoint makes, in tokens; absent where the catalog does not say. */
  maxOutputTokens?: number;
  /** How the model reasons; absent where the catalog does not say. */
  reasoning?: ModelReasoning;
  /**
   * The call gets a connection of its own, so that it is never sent twice. Absent: it may go over one that others have
   * used, and once more if that one turns out to be closed.
   */
  ownConnection?: true;
  timeouts: {
    /** Until a streamed answer begins. */
    firstByteMs: number;
    /** The longest silence in the middle of a stream. */
    idleMs: number;
    /** A whole answer that is not streamed. */
    attemptMs: number;
  };
}
