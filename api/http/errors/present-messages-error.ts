/** Presents errors to callers of the Messages API, in Anthropic's envelope. */
import {
  type MESSAGES_ERROR_TYPES,
  type MessagesErrorEnvelope,
} from '../../../contract/live/messages-error.ts';
import type { ErrorStatus } from '../../../contract/errors.ts';
import type { AppError } from '../../../domain/errors.ts';
import { presentError } from './present-error.ts';

type ErrorType = (typeof MESSAGES_ERROR_TYPES)[number];

/**
 * Anthropic's error type of each status, from platform.claude.com/docs/en/api/errors, read 2026-11-21. Statuses that
 * Anthropic lacks have the nearest type.
 */
const TYPES: Record<ErrorStatus, ErrorType> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
  409: 'conflict_error',
  410: 'not_found_error',
  412: 'invalid_request_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  416: 'invalid_request_error',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  431: 'invalid_request_error',
  499: 'api_error',
  500: 'api_error',
  501: 'api_error',
  502: 'api_error',
  503: 'api_error',
  508: 'api_error',
  524: 'timeout_error',
  529: 'overloaded_error',
};

/** Presents an error with the same status and details as the usual envelope. */
export function presentMessagesError(error: AppError, requestId: string | null): MessagesErrorEnvelope {
  const { status, body } = presentError(error);
  const { message, metadata } = body.error;
  return {
    type: 'error',
    error: { type: TYPES[status as ErrorStatus], message, metadata },
    request_id: requestId,
  };
}
