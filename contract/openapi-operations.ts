/** Writes the paths and operations of the OpenAPI document. */
import type { ErrorStatus } from './errors.ts';
import { DEPRECATION_HEADERS, RATE_LIMIT_HEADERS } from './headers.ts';
import { dialectErrorResponse, errorResponseName, requestIdHeaders } from './openapi-errors.ts';
import type { SchemaCollector } from './openapi-schemas.ts';
import {
  errorStatusesOf,
  type Access,
  type OperationDefinition,
  publishedPath,
  takesSession,
} from './operation.ts';

type Json = Record<string, unknown>;

const ACCESS_NOTES: Record<Access, string> = {
  generation: 'Takes a regular or intern key.',
  read: 'Takes any key; a management key reaches its whole organization, any other its own workspace.',
  management: 'Takes a management key.',
  any: 'Takes any key.',
  scim: 'Takes a SCIM token.',
  signed: 'Takes no key.',
  public: 'Takes no key.',
};

const EXACT_MESSAGES_NOTE =
  'The message of an error is exactly its fixed sentence; `metadata.issues` has the details.';

/** The parameters of all operations below `/api/v1`, and the header of idempotent operations. */
export const sharedParameters: Record<string, Json> = {
  RequestId: headerParameter(
    'x-request-id',
    'Your own id of the request: 1 to 128 of `A-Z a-z 0-9 . _ -`. Any other value is ignored.',
  ),
  Referer: headerParameter('HTTP-Referer', 'The address of your app, for attribution.'),
  Title: headerParameter('X-OpenRouter-Title', 'The name of your app, for attribution.'),
  Categories: headerParameter('X-OpenRouter-Categories', 'The categories of your app, for attribution.'),
  IdempotencyKey: headerParameter(
    'Idempotency-Key',
    '1 to 255 printable ASCII characters. For 24 hours, the same key with the same request gets the first response again. Keys are separate for each operation, and for each workspace if the resource belongs to a workspace.',
    { type: 'string', minLength: 1, maxLength: 255 },
  ),
};

function headerParameter(name: string, description: string, schema: Json = { type: 'string' }): Json {
  return { name, in: 'header', required: false, description, schema };
}

/** Returns the `paths` object, and collects the components that it refers to in `schemas`. */
export function presentPaths(all: OperationDefinition[], schemas: SchemaCollector): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const operation of all) {
    const item = (paths[publishedPath(operation)] ??=
      operation.base === 'root' ? { servers: [{ url: '/' }] } : {});
    item[operation.method] = presentOperation(operation, schemas);
  }
  return paths;
}

function presentOperation(operation: OperationDefinition, schemas: SchemaCollector): Json {
  const { id, tag, summary, description, access, entitlement, programme, body, rawBody, deprecated } =
    operation;
  const parameters = parametersOf(operation, schemas);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [
      description,
      ACCESS_NOTES[access],
      entitlement && entitlementNote(entitlement),
      programme && programmeNote(programme),
      operation.errorMessages === 'exact' ? EXACT_MESSAGES_NOTE : undefined,
    ]
      .filter((text) => text !== undefined)
      .join(' '),
    ...(deprecated && { deprecated: true }),
    ...securityOf(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    requestBody:
      body === undefined
        ? rawBody && { required: false, content: { '*/*': {} } }
        : {
            required: body.optional !== true,
            content: Object.fromEntries(
              ['application/json', ...(body.mediaTypes ?? [])].map((type) => [
                type,
                { schema: schemas.request(body.schema), examples: body.examples },
              ]),
            ),
          },
    responses: responsesOf(operation, schemas),
  };
}

/** Returns the security of an operation; empty for the default of the document. */
function securityOf(operation: OperationDefinition): Json {
  const { access, credential } = operation;
  if (credential !== undefined) return { security: [{ sluice: [] }] };
  if (takesSession(operation)) return { security: [{ bearer: [] }, { apiKey: [] }, { session: [] }] };
  if (access === 'scim') return { security: [{ scim: [] }] };
  return access === 'public' || access === 'signed' ? { security: [] } : {};
}

function entitlementNote(entitlement: string): string {
  return `The organization needs the entitlement \`${entitlement}\`.`;
}

function programmeNote(entitlement: string): string {
  return `For organizations with the entitlement \`${entitlement}\`, 404 for all others; not on regional hosts.`;
}

function parametersOf(operation: OperationDefinition, schemas: SchemaCollector): Json[] {
  const { params, query, headers, base, idempotent } = operation;
  const shared = [
    'RequestId',
    ...(base === 'root' ? [] : ['Referer', 'Title', 'Categories']),
    ...(idempotent ? ['IdempotencyKey'] : []),
  ];
  return [
    ...schemas.parameters('path', params),
    ...schemas.parameters('query', query),
    ...schemas.parameters('header', headers),
    ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function responsesOf(operation: OperationDefinition, schemas: SchemaCollector): Record<string, Json> {
  const requestId = requestIdHeaders(operation.errorShape);
  const responses: Record<string, Json> = {};
  for (const [status, { description, schema, mediaType, events, headers, example }] of Object.entries(
    operation.responses,
  )) {
    const all = {
      ...headers,
      ...(operation.rateLimit && RATE_LIMIT_HEADERS),
      ...(operation.deprecated && DEPRECATION_HEADERS),
    };
    const named = Object.entries(all).map(([name, text]) => [name, describedHeader(text)]);
    const content =
      schema === undefined
        ? mediaType && Object.fromEntries([mediaType].flat().map((type) => [type, {}]))
        : {
            [jsonTypeOf(operation)]: { schema: schemas.response(schema), example },
            ...(events && { 'text/event-stream': { schema: schemas.response(events) } }),
          };
    responses[status] = {
      description,
      headers: { ...requestId, ...Object.fromEntries(named) },
      ...(content ? { content } : {}),
    };
  }
  const { errorShape } = operation;
  for (const status of errorStatusesOf(operation)) {
    responses[status] ??=
      isOfServer(status) || (errorShape !== 'messages' && errorShape !== 'cohere')
        ? { $ref: `#/components/responses/${errorNameOf(operation, status)}` }
        : dialectErrorResponse(errorShape, status, schemas);
  }
  return responses;
}

function jsonTypeOf({ errorShape }: OperationDefinition): string {
  return errorShape === 'scim' ? 'application/scim+json' : 'application/json';
}

function errorNameOf({ errorShape }: OperationDefinition, status: ErrorStatus): string {
  if (isOfServer(status)) return errorResponseName(status);
  const prefix = errorShape === 'scim' ? 'Scim' : errorShape === 'daemon' ? 'Daemon' : '';
  return `${prefix}${errorResponseName(status)}`;
}

/** Returns whether the server answers before it knows the operation, and so in the usual envelope. */
function isOfServer(status: ErrorStatus): boolean {
  return status === 431;
}

function describedHeader(description: string): Json {
  return { description, schema: { type: 'string' } };
}
