import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { BodyOf, OperationDefinition, PartOf } from '../../contract/operation.ts';
import type { DirectoryClient } from '../../domain/directory/scim-token.ts';
import type { PollBounds } from '../../domain/videos/poll-pace.ts';
import type { ClientFacts, Principal } from '../../domain/principal.ts';
import type { EventStream } from '../../platform/event-stream.ts';
import type { Waits } from '../../services/live/live-call.ts';
import type { BodyInFlight } from './request/bodies-in-flight.ts';
import type { ReadyJson } from './ready-json.ts';
import type { BodyGuards } from './request/read-body.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { IdempotencyClaim, Services } from '../services.ts';

export interface ApiSettings {
  /** Scheme, host and port that clients see, without a trailing slash. */
  publicUrl: string;
  /** How long a signed URL is valid at most. */
  signedUrlMs: number;
  /** How often callers are asked to poll a video job. */
  pollBounds: PollBounds;
  maxBodyBytes: number;
  maxGenerationBodyBytes: number;
  /** The header that tells a client's country; lower case. */
  countryHeader?: string | undefined;
  /** Pages of these origins may call; `*` stands for any. */
  corsOrigins: readonly string[];
}

/** What every handler may use. */
export interface Api {
  services: Services;
  settings: ApiSettings;
  /** One for all operations. */
  bodyGuards: BodyGuards;
  metrics: RequestMetrics;
}

/** A request that was let in and checked, as the framework hands it on. */
export interface AnyCall {
  method: string;
  principal: Principal | undefined;
  /** Calls the operations of the SCIM server, which take no key. */
  directoryClient: DirectoryClient | undefined;
  params: object;
  query: object;
  headers: object;
  body: unknown;
  /** As they came, for a signature that covers them. */
  rawHeaders: IncomingHttpHeaders;
  /** The bytes of the body, decompressed where the operation's are; empty when the operation declares none. */
  rawBody: Buffer;
  /** The path as it was sent, with its escapes. */
  rawPath: string;
  /** The query as it was sent, without the question mark. */
  rawQuery: string;
  client: ClientFacts;
  /** Aborted when the caller leaves before the answer is out. Made when first asked for. */
  gone(): AbortSignal;
  /** Opens an account for what the request makes the process hold besides its body. */
  openMemory(): BodyInFlight;
  /** Notes how long the request waited for upstreams. */
  waits: Waits;
  idempotency: IdempotencyClaim | undefined;
}

/** The same, with the types that the operation's schemas imply. */
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
  headers?: AnswerHeaders;
  body?: unknown;
}

type BodyFor<Response> = Response extends { schema: infer Schema extends z.ZodType }
  ? {
      body: z.output<Schema> | ReadyJson | (Response extends { events: z.ZodType } ? EventStream : never);
    }
  : Response extends { mediaType: string | readonly string[] }
    ? { body?: Buffer | Readable | EventStream }
    : { body?: never };

/** Only the declared statuses, each with its declared body. */
export type Answer<Operation extends OperationDefinition> = {
  [Status in keyof Operation['responses'] & number]: {
    status: Status;
    headers?: AnswerHeaders;
  } & BodyFor<Operation['responses'][Status]>;
}[keyof Operation['responses'] & number];

/** A request before its body is read. */
export type Admission<Operation extends OperationDefinition> = Pick<Call<Operation>, 'params' | 'query'>;

export interface Route {
  operation: OperationDefinition;
  /** Throws for a request that must be refused before its body is read. Runs after authentication. */
  admit?(request: Pick<AnyCall, 'params' | 'query'>, api: Api): void;
  // A method, not a function property: a handler of one operation stands for the general one because the
  // framework calls it only with what that operation's schemas let through.
  handle(call: AnyCall, api: Api): Promise<AnyAnswer>;
}

/** Binds an operation of the contract to what answers it. */
export function defineRoute<Operation extends OperationDefinition, const Result extends Answer<Operation>>(
  operation: Operation,
  handle: (call: Call<Operation>, api: Api) => Promise<Result>,
  steps: { admit?(request: Admission<Operation>, api: Api): void } = {},
): Route {
  return { operation, handle, ...steps };
}
