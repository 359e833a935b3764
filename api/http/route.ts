/** Declares what the handlers of operations receive and return, and binds the handlers to their operations. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { BodyOf, OperationDefinition, PartOf } from '../../contract/operation.ts';
import type { DirectoryClient } from '../../domain/directory/scim-token.ts';
import type { PollBounds } from '../../domain/videos/poll-pace.ts';
import type { ClientFacts, Principal } from '../../domain/principal.ts';
import type { AnswerInFlight, AnswersInFlight } from '../../platform/answers-in-flight.ts';
import type { EventStream } from '../../platform/event-stream.ts';
import type { ReadyJson } from '../../platform/ready-json.ts';
import type { IdempotencyClaim } from '../../services/answer-once.ts';
import type { Waits } from '../../services/live/live-call.ts';
import type { ConnectionGate } from './connection-gate.ts';
import type { BodyInFlight } from './request/bodies-in-flight.ts';
import type { CallerAddresses } from './request/caller-addresses.ts';
import type { BodyGuards } from './request/read-body.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface ApiSettings {
  /** Scheme, host and port that clients use, without a trailing slash. */
  publicUrl: string;
  /** The address of this installation's namespace in the Temporal UI; undefined if no UI is set. */
  temporalUiUrl?: string | undefined;
  /** The time for which the gateway keeps generations, and their logged inputs and outputs. */
  retention: { generationsMs: number; contentsMs: number };
  /** The longest validity of a signed URL. */
  signedUrlMs: number;
  /** The bounds of the poll interval of video jobs, as suggested to callers. */
  pollBounds: PollBounds;
  maxBodyBytes: number;
  maxGenerationBodyBytes: number;
  /** Keeps the connection of an authenticated request open. */
  gate: Pick<ConnectionGate, 'busy'>;
  /** Finds the addresses of callers. */
  addresses: CallerAddresses;
  /** The header with the client's country; lower case. */
  countryHeader?: string | undefined;
  /** The marks by which this installation recognizes its own requests, the current one first. */
  hopMarks: readonly [string, ...string[]];
  /** The origins whose pages may call the API; `*`: all. */
  corsOrigins: readonly string[];
}

/** The resources of a handler. It declares the services that it uses, so that it does not depend on all others. */
export interface Api<Services> {
  services: Services;
  settings: ApiSettings;
  /** The limits for request bodies, shared by all operations. */
  bodyGuards: BodyGuards;
  /** The limits for answers of upstreams. */
  answers: AnswersInFlight;
  metrics: RequestMetrics;
}

/** An authenticated and validated request. */
export interface AnyCall {
  method: string;
  principal: Principal | undefined;
  /** Set for operations of the SCIM server, which have no key. */
  directoryClient: DirectoryClient | undefined;
  params: object;
  query: object;
  headers: object;
  body: unknown;
  /** The headers as received, for a signature that covers them. */
  rawHeaders: IncomingHttpHeaders;
  /** The bytes of the body, decompressed if the operation decompresses; empty if it declares no body. */
  rawBody: Buffer;
  /** The request target as received: the path with its escapes, and the query. A client may send a whole URL. */
  rawTarget: string;
  client: ClientFacts;
  /** Returns the address of the caller. */
  address(): string;
  /**
   * Returns a signal that is aborted when the caller disconnects before the end of the answer. It is created on the
   * first call.
   */
  gone(): AbortSignal;
  /** Opens an account for memory that the request needs besides its body. */
  openMemory(): BodyInFlight;
  /**
   * Opens the account for the memory of the answer. Throws `rate_limited` while other answers of the key or of the
   * organization wait for memory.
   */
  openAnswer(owner: Principal): AnswerInFlight;
  /** Records how long the request waited for upstreams. */
  waits: Waits;
  idempotency: IdempotencyClaim | undefined;
}

/** A call with the types of the operation's schemas. */
export interface Call<Operation extends OperationDefinition> extends AnyCall {
  principal: Operation['access'] extends 'public' | 'signed' | 'scim' ? undefined : Principal;
  directoryClient: Operation['access'] extends 'scim' ? DirectoryClient : undefined;
  params: PartOf<Operation, 'params'>;
  query: PartOf<Operation, 'query'>;
  headers: PartOf<Operation, 'headers'>;
  body: BodyOf<Operation>;
}

export type AnswerHeaders = Readonly<Record<string, string | string[]>>;

export interface AnyAnswer {
  status: number;
  headers?: AnswerHeaders | undefined;
  body?: unknown;
}

type BodyFor<Response> = Response extends { schema: infer Schema extends z.ZodType }
  ? {
      body: z.output<Schema> | ReadyJson | (Response extends { events: z.ZodType } ? EventStream : never);
    }
  : Response extends { mediaType: string | readonly string[] }
    ? { body?: Buffer | Readable | EventStream }
    : { body?: never };

/** An answer with a declared status and its declared body. */
export type Answer<Operation extends OperationDefinition> = {
  [Status in keyof Operation['responses'] & number]: {
    status: Status;
    headers?: AnswerHeaders | undefined;
  } & BodyFor<Operation['responses'][Status]>;
}[keyof Operation['responses'] & number];

/** A request before its body is read. */
export type Admission<Operation extends OperationDefinition> = Pick<Call<Operation>, 'params' | 'query'>;

type Handle<Operation extends OperationDefinition, Services> = (
  call: Call<Operation>,
  api: Api<Services>,
) => Promise<Answer<Operation>>;

/** Answers the requests of an operation. */
export type Handler<Operation extends OperationDefinition, Services> =
  | Handle<Operation, Services>
  | {
      /** Rejects a request before its body is read. Runs after authentication. */
      admit(request: Admission<Operation>, api: Api<Services>): void;
      handle: Handle<Operation, Services>;
    };

/** The handlers of operations, under the same names. A missing or a wrong one does not compile. */
export type RoutesOf<Operations extends Record<string, OperationDefinition>, Services = object> = {
  [Id in keyof Operations]: Handler<Operations[Id], Services>;
};

// Methods, not function properties: their parameters are then bivariant, so a specific handler can be used as a general
// one. The framework calls it only with values that its schemas accepted.
interface AnyHandler<Services> {
  admit?(request: Pick<AnyCall, 'params' | 'query'>, api: Api<Services>): void;
  handle(call: AnyCall, api: Api<Services>): Promise<AnyAnswer>;
}

/** An operation with its handler. */
export interface Route<Services> extends AnyHandler<Services> {
  operation: OperationDefinition;
}

/** Returns each operation with its handler. */
export function bindRoutes<Services>(
  operations: Readonly<Record<string, OperationDefinition>>,
  handlers: Readonly<Record<string, AnyHandler<Services>['handle'] | AnyHandler<Services>>>,
): Route<Services>[] {
  return Object.entries(handlers).map(([id, handler]) => {
    const operation = operations[id];
    if (operation === undefined) throw new TypeError(`the contract has no operation ${id}`);
    return typeof handler === 'function' ? { operation, handle: handler } : { operation, ...handler };
  });
}
