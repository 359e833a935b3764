/** Decides what a failed upstream call means for the caller, the next attempt and the endpoint's health. */
import { AppError, invalidRequest, type ErrorCode, type Issue } from '../../domain/errors.ts';
import type { ProviderError, ProviderErrorCode } from '../../domain/provider-error.ts';
import { AnswerMemoryError } from '../../providers/answer-allowance.ts';
import { PUBLIC_MESSAGES } from '../../providers/public-message.ts';
import { UnsupportedFieldsError } from '../../domain/unsupported-fields.ts';

/** The caller's error for each failure of an upstream, when no other target is left. */
const CALLER_ERRORS: Record<ProviderErrorCode, ErrorCode> = {
  not_connected: 'provider_error',
  connection_lost: 'provider_error',
  timeout: 'provider_timeout',
  aborted: 'client_cancelled',
  rate_limited: 'rate_limited',
  overloaded: 'provider_overloaded',
  server_error: 'provider_error',
  invalid_request: 'invalid_request',
  unauthorized: 'provider_error',
  not_found: 'provider_error',
  conflict: 'provider_error',
  content_policy: 'content_refused',
  loop_detected: 'loop_detected',
  invalid_response: 'provider_error',
};

/** Failures that the request causes. The customer gets the upstream's message for them. */
const ABOUT_THE_REQUEST = new Set<ProviderErrorCode>(['invalid_request', 'content_policy']);

/** The status for bodies that are too large. Every operation with a body declares it. */
const TOO_LARGE = 413;

/** The wait in the caller's 429 when the upstream stated none. */
const DEFAULT_WAIT_MS = 10_000;

/**
 * Returns the caller's error. Quotes the upstream only for failures that the request causes. `isOfCustomer` is true for
 * the customer's own upstream.
 */
export function toCallerError(error: ProviderError, isOfCustomer: boolean): AppError {
  if (error instanceof UnsupportedFieldsError) return invalidRequest(...error.issues);
  if (error instanceof AnswerMemoryError) {
    const { code, options } = error.callerError;
    return new AppError(code, { ...options, cause: error });
  }
  const { code } = error;
  // The reason is the same at each gateway of the loop.
  if (code === 'loop_detected') return new AppError(code, { isOfCustomer, cause: error });
  const isTooLarge = code === 'invalid_request' && error.status === TOO_LARGE;
  const retryAfterMs = error.retryAfterMs ?? (code === 'rate_limited' ? DEFAULT_WAIT_MS : undefined);
  return new AppError(isTooLarge ? 'payload_too_large' : CALLER_ERRORS[code], {
    issues: ABOUT_THE_REQUEST.has(code) ? [issueOf(error)] : undefined,
    reason: reasonOf(error, isTooLarge),
    // The vendor will not have the model a moment later.
    retryable: error.isModelGone ? false : undefined,
    retryAfterSeconds: retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1_000)),
    isOfCustomer,
    cause: error,
  });
}

function reasonOf({ code, isModelGone }: ProviderError, isTooLarge: boolean): string {
  if (isTooLarge) return 'provider_payload_too_large';
  return isModelGone ? 'provider_model_gone' : `provider_${code}`;
}

/** Returns the issue that the adapter names, or the upstream's message as an issue of the whole body. */
function issueOf({ code, issue, publicMessage }: ProviderError): Issue {
  if (issue !== undefined) return issue;
  const suffix = publicMessage === PUBLIC_MESSAGES[code] ? '' : `: ${publicMessage}`;
  return { path: 'body', message: `was refused by the provider${suffix}` };
}

/**
 * Returns where to continue after a failure: at the next endpoint, at another model because this one would refuse the
 * request again, or nowhere.
 */
export function nextAfter(error: ProviderError): 'endpoint' | 'model' | 'stop' {
  // Another endpoint would continue the loop.
  if (error.code === 'aborted' || error.code === 'loop_detected') return 'stop';
  // Another endpoint of the model may have a dialect with these fields.
  if (error instanceof UnsupportedFieldsError) return 'endpoint';
  // Vendors limit sizes by the account and its plan, so another vendor of the model may take the request.
  if (error.status === TOO_LARGE) return 'endpoint';
  return ABOUT_THE_REQUEST.has(error.code) ? 'model' : 'endpoint';
}

/** Returns whether the endpoint caused the failure, and not the request or the caller. */
export function isEndpointsFault(error: ProviderError): boolean {
  return error.code !== 'aborted' && error.code !== 'loop_detected' && !ABOUT_THE_REQUEST.has(error.code);
}
