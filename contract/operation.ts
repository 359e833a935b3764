/** Defines the form in which every operation of the API is declared. */
import type { z } from 'zod';
import type { Entitlement, INTERNS_ENTITLEMENT } from '../domain/entitlement.ts';
import type { ErrorStatus } from './errors.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type Verb = Uppercase<Method>;

/**
 * The callers that an operation admits.
 * - `generation`: regular and intern keys; it may spend money
 * - `read`: any key; a management key reads its whole organization, the others their own workspace
 * - `management`: management keys only
 * - `any`: any valid key
 * - `scim`: no key; a SCIM token of the organization
 * - `signed`: no key; the query carries a signature
 * - `public`: no key
 */
export type Access = 'generation' | 'read' | 'management' | 'any' | 'scim' | 'signed' | 'public';

/**
 * The error envelopes of other APIs. `messages`: Anthropic's. `cohere`: Cohere's. `scim`: RFC 7644's, under its own
 * media type, which successes have too. `daemon`: the closed table of daemon signing.
 */
export type ErrorShape = 'messages' | 'cohere' | 'scim' | 'daemon';

/**
 * The style of error messages. `exact`: `error.message` is the sentence of the table in `contract/errors.ts`, which
 * clients rely on. `explained`: a 400 or 422 adds its first issue, for clients that show the message only.
 */
export type ErrorMessages = 'exact' | 'explained';

export interface Example {
  summary: string;
  value: unknown;
}

/** The largest body of a provider's callback without a token in its address, in bytes. */
export const MAX_CALLBACK_BYTES = 256 * 1024;

/** The largest body that an identity provider may send, in bytes. */
export const MAX_SCIM_BYTES = 16 * 1024 ** 2;

export interface BodyDefinition {
  schema: z.ZodType;
  /** Returns true for frequent bodies that the schema accepts and returns unchanged, so that it need not run. */
  isPlain?: (body: unknown) => boolean;
  /**
   * The limit on the body's size: one of the two configured ones, or the constant `MAX_CALLBACK_BYTES`,
   * `MAX_SCIM_BYTES` or `MAX_SIGN_BYTES`. Absent: the configured limit of ordinary requests.
   */
  limit?: 'generation' | 'callback' | 'scim' | 'sign';
  /** Media types that the body may have beside `application/json`. */
  mediaTypes?: readonly string[];
  /** True: an absent body means an empty object. */
  optional?: true;
  /** The most entries of a list or object in the body; replaces the usual limit. */
  maxEntries?: number;
  examples: Readonly<Record<string, Example>>;
}

export interface ResponseDefinition {
  description: string;
  /** A JSON body. Absent: `mediaType` names the types of raw bytes. */
  schema?: z.ZodType;
  mediaType?: string | readonly string[];
  /** The JSON of each server-sent event, if the caller may request a stream instead of the JSON body. */
  events?: z.ZodType;
  /** Headers beside those of every answer, each with its meaning. */
  headers?: Readonly<Record<string, string>>;
  example?: unknown;
}

interface Declaration {
  /**
   * The method, and the path below `base` with `{name}` for each property of `params`. A last parameter that may
   * contain slashes is `{name…}`.
   */
  route: `${Verb} /${string}`;
  /** `/api/v1` unless `root`. */
  base?: 'root';
  access: Access;
  /** The organization must have the entitlement; checked after the key. */
  entitlement?: Entitlement;
  /**
   * The entitlement of operations on interns; checked after the key. Other organizations get the 404 of an unknown
   * intern, and regional hosts a 403.
   */
  programme?: typeof INTERNS_ENTITLEMENT;
  /** An operation that generates: sessions of the console may use it, with a regular key of their organization. */
  isForConsole?: true;
  /** The key is sent in `Sluice-Authorization` only: the usual headers belong to the request that is forwarded. */
  credential?: 'sluice-authorization';
  tag: string;
  summary: string;
  description?: string;
  /** The property names of `headers` are lower case, as in Node. */
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: BodyDefinition;
  /** The body is optional, has any media type, and is neither decoded nor parsed. */
  rawBody?: { maxBytes: number };
  /**
   * The rate limit that counts a request: that of generation requests, if configured (ADR 0014), or that of the
   * dataset.
   */
  rateLimit?: 'generation' | 'dataset';
  /**
   * True: the API calls an upstream or a host of the caller for a request, at once or by a job. Such requests are
   * limited while they are in flight, and refused when they are in a loop.
   */
  callsOut?: true;
  /** Accepts an `Idempotency-Key` header. */
  idempotent?: true;
  /** True: large JSON answers are compressed if the caller accepts it. False: none are. Absent: only those of GET. */
  isCompressed?: boolean;
  /** The envelope of errors, including 401 and 429. Absent: the usual one. */
  errorShape?: ErrorShape;
  /** Absent: `explained`. Other shapes of errors have messages of their own. */
  errorMessages?: ErrorMessages;
  /** The time from the start of a request, with its body, to the start of the answer. A slower request is a 408. */
  timeoutMs?: number;
  /** The Unix seconds of the deprecation, and the path to use instead. Every answer carries both (RFC 9745). */
  deprecated?: { since: number; successor: `/${string}` };
  responses: Readonly<Record<number, ResponseDefinition>>;
  /** Statuses in addition to those of `errorStatusesOf`. */
  errors?: readonly ErrorStatus[];
}

/** Names an operation. These properties follow from the declaration's key and from its route. */
interface Identity<Id extends string> {
  /** Unique: the OpenAPI `operationId`, the name in logs and the scope of idempotency keys. */
  readonly id: Id;
  readonly method: Method;
  readonly path: `/${string}`;
}

export type OperationDefinition = Declaration & Identity<string>;

/**
 * Declares operations by their ids. Router, validation, handler types and the published description follow from them.
 * `shared` has the properties that all these operations have; none of them declares one of these itself.
 */
export function defineOperations<
  const Shared extends Partial<Declaration>,
  const Declarations extends Record<
    string,
    Omit<Declaration, keyof Shared> & { [Key in keyof Shared]?: never }
  >,
>(shared: Shared, declarations: Declarations) {
  const operations = Object.entries(declarations).map(([id, declaration]) => {
    const all = { ...shared, ...declaration } as Declaration;
    const [verb, path] = all.route.split(' ');
    return [id, { ...all, id, method: verb?.toLowerCase(), path }];
  });
  return Object.fromEntries(operations) as {
    readonly [Id in keyof Declarations & string]: Shared & Declarations[Id] & Identity<Id>;
  };
}

/** Returns whether the cookie of a console session may stand in place of a key. */
export function takesSession(operation: OperationDefinition): boolean {
  const { access, credential, programme, isForConsole } = operation;
  if (access === 'generation') return isForConsole === true;
  return (
    ['read', 'management', 'any'].includes(access) && credential === undefined && programme === undefined
  );
}

/** Returns the path as OpenAPI writes it, without the mark of a parameter with slashes. */
export function publishedPath({ path }: Pick<OperationDefinition, 'path'>): string {
  return path.replace('…}', '}');
}

type RequestPart = 'params' | 'query' | 'headers';

/** The type of one part of the request in a handler; an empty object if the operation declares none. */
export type PartOf<Definition, Part extends RequestPart> = Definition extends {
  [Key in Part]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : Record<never, never>;

export type BodyOf<Definition> = Definition extends { body: { schema: infer Schema extends z.ZodType } }
  ? z.output<Schema>
  : undefined;

/** Returns all error statuses of an operation, ascending. */
export function errorStatusesOf(operation: OperationDefinition): ErrorStatus[] {
  const { access, base, method, body, rawBody, query, idempotent, callsOut } = operation;
  const needsKey = access !== 'public' && access !== 'signed';
  const statuses = new Set<ErrorStatus>([
    ...(operation.errors ?? []),
    ...(needsKey ? ([401] as const) : []),
    ...(access === 'generation' || access === 'management' ? ([403] as const) : []),
    ...(takesSession(operation) && method !== 'get' ? ([403] as const) : []),
    ...(operation.programme === undefined ? [] : ([403, 404] as const)),
    ...(body || query ? ([400] as const) : []),
    ...(body ? ([408, 413, 415] as const) : []),
    ...(rawBody ? ([400, 408, 413] as const) : []),
    ...(idempotent ? ([400, 409, 422] as const) : []),
    ...(callsOut ? ([508] as const) : []),
    ...(base === 'root' ? [] : ([429] as const)),
    // Daemon signing reports an outage as a 500.
    ...(base === 'root' || operation.errorShape === 'daemon' ? [] : ([503] as const)),
    431,
    500,
  ]);
  return [...statuses].toSorted((a, b) => a - b);
}
