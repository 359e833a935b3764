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
import type { TargetEstimate } from './hold.ts';

/**
 * One live operation: everything in which it differs from the others. `runLive` does the rest: it plans, reserves,
 * attempts, settles and gives the reservation back. No operation sees the reservation.
 */
export interface LiveOperation<Body, Answer, Result> {
  capability: LiveCapability;
  apiType: ApiType;
  /** Completes the request by the preset that it names. Absent where the operation has no presets. */
  withPreset?(call: LiveCall<Body>): Promise<CompletedCall<Body>>;
  /** Reads one request. Throws 400 for what no endpoint could do. */
  read(call: LiveCall<Body>, asked: LiveCall<Body>): LiveRequest<Answer, Result>;
  /** Failures of the caller's making: they say nothing about the endpoint that served. */
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
  /** Throws 400. Called once the model is known, so that an unknown model is the 404 that it is. */
  check?(): void;
  /** The types of tools that the operation left out of the request. */
  droppedTools?: readonly string[] | undefined;
  /** Where the body names URLs for an upstream to fetch. Absent where it names none. */
  urls?: readonly UrlPlace[] | undefined;
  opening: Opening;
  /** Returns what the request may cost at the target. */
  estimateAt(target: Target): TargetEstimate;
  /**
   * Returns what the request costs when its caller leaves while the target works on it. Absent: all that the target was
   * estimated to cost, since it finishes its work for nobody.
   */
  abandonedAt?(target: Target): Billed;
  /**
   * Asks the target; undefined when this process cannot speak to its provider. Rejects with a ProviderError.
   * `outputLimit`: how many tokens an answer may have, where the money that is held pays for no more.
   */
  ask(target: Target, context: LiveCallContext, outputLimit?: number): Promise<Answer> | undefined;
  /** Bills an answer that has begun. A throw fails the generation, which then costs nothing. */
  answered(answer: Answered<Answer>, open: OpenGeneration): WholeAnswer<Result> | StreamedAnswer<Result>;
  /** Present where headers may leave before an upstream has answered. Such a request is answered with a stream. */
  early?: EarlyStream<Result>;
}

/** A stream whose headers leave before its answer has begun. */
export interface EarlyStream<Result> {
  show(events: EventStream): Result;
  /** Presents the whole stream of a request that failed after its headers had left. */
  failed(failure: EarlyFailure, open: OpenGeneration): Piece;
}

export interface EarlyFailure {
  error: AppError;
  /** Where the last attempt was made. */
  target: Target;
  /** The provider's display name. */
  providerName: string;
}

/** The facts of a request that its generation records. */
export interface Opening {
  /** The conversation, or what else is to be worked on. */
  input: unknown;
  inputModalities: Modality[];
  /** The caller's end user. */
  user: string | null | undefined;
  /** Whether the caller asked for a stream; the answer decides. */
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

/** The fields of the ledger's row that only the operation knows. */
export type Billed = Pick<Ending, 'usage' | 'costNanos' | 'outputModalities'> &
  Partial<Omit<Ending, 'status' | 'target' | 'responses' | 'answeredAtMs'>>;

/** An answer that is there as a whole. */
export interface WholeAnswer<Result> {
  billed: Billed;
  /** Called once the row is in the ledger. */
  show(): Result;
}

/** An answer that has begun to arrive. */
export interface StreamedAnswer<Result> {
  stream: LiveStream;
  show(events: EventStream): Result;
}

/** A stream as its operation reads and presents it. */
export interface LiveStream<Part = unknown, Bill extends StreamBill = StreamBill> {
  parts: AsyncIterable<Part[]>;
  /** Meters the parts that arrived together, and presents them; an empty text or buffer presents nothing yet. */
  present(arrived: Part[]): Piece;
  /** Returns the fault of a stream that ended by itself, such as a missing last event; undefined when it is whole. */
  missing?(): AppError | undefined;
  /** Whether the upstream works on and charges all of it when the caller leaves now. Absent: it does not. */
  isUnderWay?(): boolean;
  /** Looks into what broke the stream off, which may tell of usage. */
  brokenBy?(error: unknown): void;
  /** Bills what came until the end, or until the failure. */
  bill(failure: AppError | undefined): Bill;
  /** The last of the stream, once the row is in the ledger. Throws where a stream has no words for a failure. */
  last(bill: Bill, failure: AppError | undefined): Piece | undefined;
  /** The last event when the gateway itself failed. Absent: the caller's connection is cut. */
  lastWords?(error: AppError): Piece;
}

export interface StreamBill {
  billed: Billed;
  /** How many tokens were made, where that measures the endpoint's speed. */
  completionTokens?: number;
}
