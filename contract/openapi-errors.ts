/** Writes the error responses of the OpenAPI document, in every dialect. */
import { cohereErrorEnvelope } from './live/cohere-error.ts';
import { errorEnvelope, errorTable, type ErrorStatus } from './errors.ts';
import { scimError } from './directory/scim-error.ts';
import { daemonErrorEnvelope, daemonErrorTable } from './interns/daemon-error.ts';
import { messagesErrorEnvelope } from './live/messages-error.ts';
import type { SchemaCollector } from './openapi-schemas.ts';
import type { ErrorShape } from './operation.ts';

type Json = Record<string, unknown>;

/** The component name of each error status. A status of several codes has one response with an example for each. */
const NAMES: Record<ErrorStatus, string> = {
  400: 'InvalidRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  416: 'RangeNotSatisfiable',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  499: 'ClientCancelled',
  500: 'Internal',
  501: 'NotImplemented',
  502: 'ProviderError',
  503: 'Unavailable',
  508: 'LoopDetected',
  524: 'ProviderTimeout',
  529: 'ProviderOverloaded',
};

export function errorResponseName(status: ErrorStatus): string {
  return NAMES[status];
}

export function errorResponses(schemas: SchemaCollector): Record<string, Json> {
  const byStatus = Map.groupBy(Object.entries(errorTable), ([, row]) => row.status);
  return Object.fromEntries(
    [...byStatus].map(([status, rows]) => {
      const messages = [...new Set(rows.map(([, { message }]) => message))];
      const examples = rows.map(([reason, { message, retryable }]) => [
        reason,
        { value: { error: { code: status, message, metadata: { reason, retryable } } } },
      ]);
      const response = {
        description: messages.join(' / '),
        headers: requestIdHeaders(undefined),
        content: {
          'application/json': {
            schema: schemas.response(errorEnvelope),
            examples: Object.fromEntries(examples),
          },
        },
      };
      return [errorResponseName(status), response];
    }),
  );
}

/** Returns the headers with the request's id, which every answer has. `request-id` belongs to Anthropic's dialect. */
export function requestIdHeaders(shape: ErrorShape | undefined): Json {
  const header = { $ref: '#/components/headers/RequestId' };
  return { 'x-request-id': header, ...(shape === 'messages' && { 'request-id': header }) };
}

const DIALECT_ENVELOPES = { messages: messagesErrorEnvelope, cohere: cohereErrorEnvelope } as const;

/** Describes an error status in the envelope of another API's dialect. */
export function dialectErrorResponse(
  shape: keyof typeof DIALECT_ENVELOPES,
  status: ErrorStatus,
  schemas: SchemaCollector,
): Json {
  return {
    description: messagesOf(status),
    headers: requestIdHeaders(shape),
    content: { 'application/json': { schema: schemas.response(DIALECT_ENVELOPES[shape]) } },
  };
}

/** The error statuses that the SCIM server never sends. */
const NEVER_SCIM: readonly ErrorStatus[] = [402, 410, 416, 422, 431, 499, 502, 524, 529];

/** Returns the error responses of the SCIM server, named with the prefix `Scim`. */
export function scimErrorResponses(schemas: SchemaCollector): Record<string, Json> {
  const statuses = [...new Set(Object.values(errorTable).map((row) => row.status))];
  return Object.fromEntries(
    statuses
      .filter((status) => !NEVER_SCIM.includes(status))
      .map((status) => [
        `Scim${errorResponseName(status)}`,
        {
          description: status === 403 ? errorTable.directory_is_pulled.message : messagesOf(status),
          headers: requestIdHeaders('scim'),
          content: { 'application/scim+json': { schema: schemas.response(scimError) } },
        },
      ]),
  );
}

/** Returns the error responses of daemon signing, named with the prefix `Daemon`. */
export function daemonErrorResponses(schemas: SchemaCollector): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(daemonErrorTable).map(([code, row]) => {
      const status = Number(code) as keyof typeof daemonErrorTable;
      const content = {
        schema: schemas.response(daemonErrorEnvelope),
        example: { error: { code: status, ...row } },
      };
      return [
        `Daemon${errorResponseName(status)}`,
        {
          description: row.message,
          headers: requestIdHeaders('daemon'),
          content: { 'application/json': content },
        },
      ];
    }),
  );
}

function messagesOf(status: ErrorStatus): string {
  const rows = Object.values(errorTable).filter((row) => row.status === status);
  return [...new Set(rows.map(({ message }) => message))].join(' / ');
}
