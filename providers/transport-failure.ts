import { ProviderError, type ProviderErrorCode } from '../domain/provider-error.ts';
import {
  OutboundBlockedError,
  OutboundNetworkError,
  OutboundResponseTooLargeError,
  OutboundTimeoutError,
} from '../platform/outbound-error.ts';
import { NotConnectedError } from './provider-connection.ts';
import { PUBLIC_MESSAGES } from './public-message.ts';

/** The caller's signal and, where the call has one, its deadline: whichever fired explains the failure. */
export interface Interrupts {
  signal: AbortSignal;
  deadline?: AbortSignal;
}

const TIMEOUT_CODES = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const RETRYABLE = new Set<ProviderErrorCode>([
  'not_connected',
  'connection_lost',
  'timeout',
  'invalid_response',
]);

/**
 * Whatever an exchange threw as a ProviderError. `not_connected` only where certainly no byte left; what
 * cannot be told is `connection_lost`.
 */
export function transportFailure(error: unknown, interrupts: Interrupts): ProviderError {
  return error instanceof ProviderError ? error : failure(failureCode(error, interrupts), error);
}

/** A 2xx that does not say what it should. */
export function invalidResponse(status: number, cause: unknown): ProviderError {
  return new ProviderError({
    code: 'invalid_response',
    status,
    retryable: true,
    publicMessage: PUBLIC_MESSAGES.invalid_response,
    cause,
  });
}

function failureCode(error: unknown, { signal, deadline }: Interrupts): ProviderErrorCode {
  if (error instanceof NotConnectedError || error instanceof OutboundBlockedError) return 'not_connected';
  if (error instanceof OutboundNetworkError && !error.sent) return 'not_connected';
  if (signal.aborted) return 'aborted';
  if (deadline?.aborted || error instanceof OutboundTimeoutError || isTimeout(error)) return 'timeout';
  if (error instanceof OutboundResponseTooLargeError) return 'invalid_response';
  return 'connection_lost';
}

function failure(code: ProviderErrorCode, cause: unknown): ProviderError {
  return new ProviderError({
    code,
    retryable: RETRYABLE.has(code),
    publicMessage: PUBLIC_MESSAGES[code],
    cause,
  });
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && TIMEOUT_CODES.has(String(error.code));
}
