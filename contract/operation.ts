import type { z } from 'zod';
import type { Entitlement, INTERNS_ENTITLEMENT } from '../domain/entitlement.ts';
import type { ErrorStatus } from './errors.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * Who may call (design: §4).
 * - `generation`: regular and intern keys; it may spend money
 * - `read`: any key; a management key reaches its whole organization, the others their own workspace
 * - `management`: management keys only
 * - `any`: any valid key
 * - `scim`: no key; a SCIM token of the organization
 * - `signed`: no key; the query carries a signature
 * - `public`: no key
 */
export type Access = 'generation' | 'read' | 'management' | 'any' | 'scim' | 'signed' | 'public';

/**
 * `messages`: Anthropic's. `cohere`: Cohere's. `scim`: RFC 7644's, under its own media type, which successes have too.
 * `daemon`: the closed table of daemon signing.
 */
export type ErrorShape = 'messages' | 'cohere' | 'scim' | 'daemon';

/**
 * `exact`: `error.message` is the sentence of the table in `contract/errors.ts`, as spec.md promises for its operations.
 * `explained`: a 400 or 422 goes on with its first issue, for clients that show the message only.
 */
export type ErrorMessages = 'exact' | 'explained';

export interface Example {
  summary: string;
  value: unknown;
}

/** The largest body of a provider's callback whose address carries no token, in bytes. */
export const MAX_CALLBACK_BYTES = 256 * 1024;

/** The largest body that an identity provider may send, in bytes. */
export const MAX_SCIM_BYTES = 16 * 1024 ** 2;

export interface BodyDefinition {
  schema: z.ZodType;
  /**
   * Which limit holds for the size of this body: one of the two configured ones, or `MAX_CALLBACK_BYTES`, `MAX_SCIM_BYTES`
   * or `MAX_SIGN_BYTES`, which no configuration raises.
   */
  limit: 'default' | 'generation' | 'callback' | 'scim' | 'sign';
  /** Media types that the body may have beside `application/json`. */
  mediaTypes?: readonly string[];
  /** True: a request without a body stands for one with an empty object. */
  optional?: true;
  /** Of any list or object in it, where the usual bound would refuse what the operation takes. */
  maxEntries?: number;
  examples: Readonly<Record<string, Example>>;
}

export interface ResponseDefinition {
  description: string;
  /** A JSON body. Absent: `mediaType` says what the raw bytes are, or may be. */
  schema?: z.ZodType;
  mediaType?: string | readonly string[];
  /** The JSON of each server-sent event, where the caller may ask for a stream in place of the JSON body. */
  events?: z.ZodType;
  /** Headers beyond those every answer has: name to meaning. */
  headers?: Readonly<Record<string, string>>;
  example?: unknown;
}

export interface OperationDefinition {
  /** Unique; the OpenAPI `operationId`, the name in logs and the scope of idempotency keys. */
  id: string;
  method: Method;
  /** Below `base`, with `{name}` for each property of `params`, or `{name…}` for the last one if it may have slashes. */
  path: `/${string}`;
  /** `/api/v1` unless `root`. */
  base?: 'root';
  access: Access;
  /** The organization must have it; checked after the key. */
  entitlement?: Entitlement;
  /**
   * Belongs to the programme of interns: checked after the key. An organization outside it gets the 404 of an unknown
   * intern, and a regional host a 403.
   */
  programme?: typeof INTERNS_ENTITLEMENT;
  /** The key comes in `Sluice-Authorization` only: the usual headers are not for the gateway. */
  credential?: 'sluice-authorization';
  tag: string;
  summary: string;
  description?: string;
  /** All property names lower case for `headers`, as Node gives them. */
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: BodyDefinition;
  /** The body may be absent, may have any media type, and is neither decoded nor parsed. */
  rawBody?: { maxBytes: number };
  /**
   * What a request counts against: the rate limit of generation requests, where one is configured (design: §8), or
   * the one that this dataset has of its own.
   */
  rateLimit?: 'generation' | 'dataset';
  /** Takes an `Idempotency-Key` header (design: §8). */
  idempotent?: true;
  /** Whether large JSON answers are compressed for callers who take that. Absent: those of GET are. */
  isCompressed?: boolean;
  /** Its errors have the envelope of another API's dialect, 401 and 429 included. Absent: the usual one. */
  errorShape?: ErrorShape;
  /** `explained` unless it is an operation of spec.md. The other shapes of errors have words of their own. */
  errorMessages?: ErrorMessages;
  /** How long a request may take, with its body, until its answer begins; one that takes longer is a 408. */
  timeoutMs?: number;
  /** Since when, in Unix seconds, another path should be used, and which. Every answer says so (RFC 9745). */
  deprecated?: { since: number; successor: `/${string}` };
  responses: Readonly<Record<number, ResponseDefinition>>;
  /** Beyond those that `errorStatusesOf` derives. */
  errors: readonly ErrorStatus[];
}

/** Declares an operation. Router, validation, handler types and the published description follow from it. */
export function defineOperation<const Definition extends OperationDefinition>(
  definition: Definition,
): Definition {
  return definition;
}

/** Returns the path as OpenAPI writes it, which knows no parameter with slashes. */
export function publishedPath({ path }: Pick<OperationDefinition, 'path'>): string {
  return path.replace('…}', '}');
}

type RequestPart = 'params' | 'query' | 'headers';

/** What a handler receives for one part of the request; an empty object when the operation declares none. */
export type PartOf<Definition, Part extends RequestPart> = Definition extends {
  [Key in Part]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : Record<never, never>;

export type BodyOf<Definition> = Definition extends { body: { schema: infer Schema extends z.ZodType } }
  ? z.output<Schema>
  : undefined;

/** Every error status that an operation may answer with, ascending. */
export function errorStatusesOf(operation: OperationDefinition): ErrorStatus[] {
  const { access, base, body, rawBody, query, idempotent } = operation;
  const needsKey = access !== 'public' && access !== 'signed';
  const statuses = new Set<ErrorStatus>([
    ...operation.errors,
    ...(needsKey ? ([401] as const) : []),
    ...(access === 'generation' || access === 'management' ? ([403] as const) : []),
    ...(operation.programme === undefined ? [] : ([403, 404] as const)),
    ...(body || query ? ([400] as const) : []),
    ...(body ? ([408, 413, 415] as const) : []),
    ...(rawBody ? ([400, 408, 413] as const) : []),
    ...(idempotent ? ([400, 409, 422] as const) : []),
    ...(base === 'root' ? [] : ([429] as const)),
    // Daemon signing shows an outage as a 500.
    ...(base === 'root' || operation.errorShape === 'daemon' ? [] : ([503] as const)),
    500,
  ]);
  return [...statuses].toSorted((a, b) => a - b);
}
