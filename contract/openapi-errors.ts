import { errorEnvelope, errorTable, type ErrorStatus } from './errors.ts';
import { messagesErrorEnvelope } from './messages-error.ts';
import type { SchemaCollector } from './openapi-schemas.ts';
import type { ErrorShape } from './operation.ts';

type Json = Record<string, unknown>;

/** `404` → `NotFound`. A status that several codes share has one response with an example for each. */
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
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  416: 'RangeNotSatisfiable',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  499: 'ClientCancelled',
  500: 'Internal',
  502: 'ProviderError',
  503: 'Unavailable',
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

/** The headers that name the request, on every answer of an operation; `request-id` is the one of Anthropic's dialect. */
export function requestIdHeaders(shape: ErrorShape | undefined): Json {
  const header = { $ref: '#/components/headers/RequestId' };
  return { 'x-request-id': header, ...(shape === 'messages' && { 'request-id': header }) };
}

/** The same status in Anthropic's envelope. */
export function messagesErrorResponse(status: ErrorStatus, schemas: SchemaCollector): Json {
  const rows = Object.values(errorTable).filter((row) => row.status === status);
  return {
    description: [...new Set(rows.map(({ message }) => message))].join(' / '),
    headers: requestIdHeaders('messages'),
    content: { 'application/json': { schema: schemas.response(messagesErrorEnvelope) } },
  };
}
