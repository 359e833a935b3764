/** Defines what every adapter gets with a call: signal, request id and timeouts. */
import type { NoteRepair } from './repairs.ts';
import type { Deviation } from '../domain/catalog/deviations.ts';
import type { ModelReasoning } from '../domain/catalog/model-facts.ts';
import type { AnswerAllowance } from './answer-allowance.ts';

/** The context of an upstream call. Credentials are not part of it: the adapter gets them when it is built. */
export interface CallContext {
  signal: AbortSignal;
  /** The id of the request, which Sluice and the upstream log. */
  requestId: string;
  /** The value of the header `sluice-hops`. Absent: the call does not follow from a request of a caller. */
  hops?: string | undefined;
}

/** The context of a call that a caller waits for, with its timeouts. */
export interface LiveCallContext extends CallContext {
  /** The limits of the answer's size and memory. */
  answer: AnswerAllowance;
  /** The longest answer of the endpoint, in tokens; absent if unknown. */
  maxOutputTokens?: number;
  /** The reasoning parameters of the model; absent if unknown. */
  reasoning?: ModelReasoning;
  /**
   * True: the call uses a new connection and is never sent twice. Absent: it may reuse a connection, and is sent once
   * more if the vendor has closed that connection.
   */
  ownConnection?: true;
  /** The ways in which the endpoint differs from what the adapter expects of its wire. Absent: none. */
  deviations?: readonly Deviation[];
  /** Counts what the adapter repaired in the answer. Absent: nothing is counted. */
  noteRepair?: NoteRepair;
  /**
   * The names of the hints that this call left out because the endpoint cannot take them. Absent: no hint may be left
   * out, because the caller requires every parameter.
   */
  droppedFields?: string[];
  timeouts: {
    /** The time until a streamed answer begins. */
    firstByteMs: number;
    /** The longest silence within a stream. */
    idleMs: number;
    /** The time for a complete answer without streaming. */
    attemptMs: number;
  };
}
