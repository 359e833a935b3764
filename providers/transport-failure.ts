/** Converts network errors and invalid answers of upstreams to provider errors. */
import { ProviderError, type ProviderErrorCode } from '../domain/provider-error.ts';
import {
  OutboundBlockedError,
  OutboundNetworkError,
  OutboundResponseTooLargeError,
  OutboundTimeoutError,
} from '../platform/outbound-error.ts';
import { NotConnectedError } from './provider-connection.ts';
import { PUBLIC_MESSAGES } from './public-message.ts';

/** Further facts that explain the failure of an exchange. */
export interface Interrupts {
  /** The caller's signal. */
  signal: AbortSignal;
  deadline?: AbortSignal;
  /** True: the request was sent. Absent: unknown. */
  sent?: boolean;
}

const TIMEOUT_CODES = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const RETRYABLE = new Set<ProviderErrorCode>([
  'not_connected',
  'connection_lost',
  'timeout',
  'invalid_response',
]);

/**
 * Converts an error of an exchange to a ProviderError. The code is `not_connected` only if certainly no byte was sent.
 * If that is uncertain, the code is `connection_lost`, which counts as sent.
 */
export function transportFailure(error: unknown, interrupts: Interrupts): ProviderError {
  if (error instanceof ProviderError) return error;
  const code = failureCode(error, interrupts);
  return new ProviderError({
    code,
    sent: interrupts.sent ?? code !== 'not_connected',
    retryable: RETRYABLE.has(code),
    publicMessage: PUBLIC_MESSAGES[code],
    cause: error,
  });
}

/** Returns the error for an invalid 2xx answer. */
export function invalidResponse(status: number, cause: unknown): ProviderError {
  // JSON's parser quotes the text, which may contain a prompt or a secret, and causes are logged.
  const why = cause instanceof SyntaxError ? new Error('the answer is not valid JSON') : cause;
  return new ProviderError({
    code: 'invalid_response',
    status,
    sent: true,
    retryable: true,
    publicMessage: PUBLIC_MESSAGES.invalid_response,
    cause: why,
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

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && TIMEOUT_CODES.has(String(error.code));
}
