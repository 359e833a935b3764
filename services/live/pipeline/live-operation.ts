/** Defines the interface between the pipeline and each live operation, such as chat or images. */
import type { LiveCapability } from '../../../domain/catalog/catalog.ts';
import type { AppError, ErrorCode } from '../../../domain/errors.ts';
import type { ApiType, ProviderResponse } from '../../../domain/ledger/generation.ts';
import type { Modality } from '../../../domain/modality.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { LiveCallContext } from '../../../providers/call-context.ts';
import type { EventStream, Piece } from '../../../platform/event-stream.ts';
import type { Ending, OpenGeneration } from '../generation.ts';
import type { LiveCall } from '../live-call.ts';
import type { EndpointJudge } from '../../routing/plan-targets.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import type { UrlPlace } from '../urls/url-places.ts';
import type { TargetEstimate } from './target-reservation.ts';

/**
 * One live operation, with everything in which it differs from the others. `runLive` does the rest: it plans, reserves,
 * attempts, settles and releases the reservation. No operation handles the reservation.
 */
export interface LiveOperation<Body, Answer, Result> {
  capability: LiveCapability;
  apiType: ApiType;
  /** Completes the request by the preset that it names. Absent for operations without presets. */
  withPreset?(call: LiveCall<Body>): Promise<CompletedCall<Body>>;
  /**
   * Reads one request. `original` is the call before its preset was applied. Throws 400 for a request that no endpoint
   * could serve.
   */
  read(call: LiveCall<Body>, original: LiveCall<Body>): LiveRequest<Answer, Result>;
  /** Failures that the caller causes. They do not affect the endpoint's health. */
  callersFailures: ReadonlySet<ErrorCode>;
}

export interface CompletedCall<Body> {
  call: LiveCall<Body>;
  presetId: string | null;
}

/** One request of a live operation. */
export interface LiveRequest<Answer, Result> extends EndpointJudge {
  /** The fields that decide where the request may run. */
  routable: RoutableBody;
  /** Throws 400 for an invalid request. Runs once the model is known, so that an unknown model is a 404. */
  check?: (() => void) | undefined;
  /** The types of tools that the operation removed from the request. */
  droppedTools?: readonly string[] | undefined;
  /** The body in which references to stored objects are searched. Absent: the whole body. */
  searched?: RoutableBody | undefined;
  /** The places of URLs in the body that an upstream would fetch. Absent when there are none. */
  urls?: readonly UrlPlace[] | undefined;
  opening: Opening;
  /** Returns the highest cost of the request at the target. */
  estimateAt(target: Target): TargetEstimate;
  /**
   * Returns the cost of the request when its caller disconnects while the target works on it. When absent, it costs
   * the whole estimate, because the target finishes its work anyway.
   */
  abandonedAt?(target: Target): Billed;
  /**
   * Sends the request to the target. Returns undefined when this process has no adapter for its provider, and rejects
   * with a ProviderError. `outputLimit` limits the tokens of the answer when the reserved money pays for no more.
   */
  ask(target: Target, context: LiveCallContext, outputLimit?: number): Promise<Answer> | undefined;
  /** Bills an answer that has started. An error thrown here fails the generation, which then costs nothing. */
  answered(answer: Answered<Answer>, open: OpenGeneration): WholeAnswer<Result> | StreamedAnswer<Result>;
  /** Present when headers may be sent before an upstream has answered. The answer to such a request is a stream. */
  early?: EarlyStream<Result>;
}

/** A stream whose headers are sent before its answer has started. */
export interface EarlyStream<Result> {
  show(events: EventStream): Result;
  /** Presents the whole stream of a request that failed after its headers were sent. */
  failed(failure: EarlyFailure, open: OpenGeneration): Piece;
}

export interface EarlyFailure {
  error: AppError;
  /** The target of the last attempt. */
  target: Target;
  /** The provider's display name. */
  providerName: string;
}

/** The facts about a request that its generation records. */
export interface Opening {
  /** The conversation of a chat, or the input of another operation. */
  input: unknown;
  inputModalities: Modality[];
  /** The end user that the caller names. */
  user: string | null | undefined;
  /** True when the caller asks for a stream. The answer may still be whole. */
  streamed: boolean;
}

export interface Answered<Answer> {
  target: Target;
  answer: Answer;
  startedAtMs: number;
  responses: ProviderResponse[];
  /** The provider's display name. */
  providerName: string;
}

/** The fields of the ledger's row that only the operation can determine. */
export type Billed = Pick<Ending, 'usage' | 'costNanos' | 'outputModalities'> &
  Partial<Omit<Ending, 'status' | 'target' | 'responses' | 'answeredAtMs'>>;

/** An answer that has arrived completely. */
export interface WholeAnswer<Result> {
  billed: Billed;
  /** Presents the answer. Called once the row is in the ledger. */
  show(): Result;
}

/** An answer that has started to arrive. */
export interface StreamedAnswer<Result> {
  stream: LiveStream;
  show(events: EventStream): Result;
}

/** A stream as its operation reads and presents it. */
export interface LiveStream<Part = unknown, Bill extends StreamBill = StreamBill> {
  parts: AsyncIterable<Part[]>;
  /**
   * Meters and presents parts that arrived together. Returns an empty text or buffer when there is nothing to send yet.
   */
  present(arrived: Part[]): Piece;
  /**
   * Returns the fault of a stream that ended by itself, such as a missing last event; undefined when it is complete.
   */
  missing?(): AppError | undefined;
  /**
   * Returns whether the upstream would finish and charge for the whole work if the caller disconnected now. When
   * absent, it would not.
   */
  isUnderWay?(): boolean;
  /** Reads the error that broke the stream off, because it may contain usage. */
  brokenBy?(error: unknown): void;
  /** Bills the output up to the end or up to the failure. */
  bill(failure: AppError | undefined): Bill;
  /**
   * Returns the last piece, once the row is in the ledger. Throws when the stream's form has no place for a failure.
   */
  last(bill: Bill, failure: AppError | undefined): Piece | undefined;
  /**
   * Returns the last event after a failure of the gateway itself. When absent, the gateway cuts the caller's
   * connection.
   */
  internalErrorEvent?(error: AppError): Piece;
}

export interface StreamBill {
  billed: Billed;
  /** The number of generated tokens, for operations that measure the endpoint's speed. */
  completionTokens?: number;
}
