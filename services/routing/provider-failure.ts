import { AppError, invalidRequest, type ErrorCode, type Issue } from '../../domain/errors.ts';
import type { ProviderError, ProviderErrorCode } from '../../domain/provider-error.ts';
import { PUBLIC_MESSAGES } from '../../providers/public-message.ts';
import { CannotCarryError } from './cannot-carry.ts';

/** How an upstream's failure is told to the caller when nothing is left to try (spec.md "Errors"). */
const TOLD_AS: Record<ProviderErrorCode, ErrorCode> = {
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
  invalid_response: 'provider_error',
};

/** For these the customer reads the upstream's words: they are about the request. */
const ABOUT_THE_REQUEST = new Set<ProviderErrorCode>(['invalid_request', 'content_policy']);

/** Every operation with a body declares it. */
const TOO_LARGE = 413;

/** Told with a 429 of an upstream that does not say when to come back. */
const USUAL_WAIT_MS = 10_000;

/**
 * Returns the error that the caller sees. It quotes the upstream only where the failure is about the request.
 * `isOfCustomer`: the upstream is the customer's own.
 */
export function toCallerError(error: ProviderError, isOfCustomer: boolean): AppError {
  if (error instanceof CannotCarryError) return invalidRequest(...error.issues);
  const { code } = error;
  const isTooLarge = code === 'invalid_request' && error.status === TOO_LARGE;
  const retryAfterMs = error.retryAfterMs ?? (code === 'rate_limited' ? USUAL_WAIT_MS : undefined);
  return new AppError(isTooLarge ? 'payload_too_large' : TOLD_AS[code], {
    ...(ABOUT_THE_REQUEST.has(code) ? { issues: [issueOf(error)] } : {}),
    reason: isTooLarge ? 'provider_payload_too_large' : `provider_${code}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
    isOfCustomer,
    cause: error,
  });
}

/** Returns the rule that the adapter names, or the words of the upstream, which are about the body as a whole. */
function issueOf({ code, issue, publicMessage }: ProviderError): Issue {
  if (issue !== undefined) return issue;
  const words = publicMessage === PUBLIC_MESSAGES[code] ? '' : `: ${publicMessage}`;
  return { path: 'body', message: `was refused by the provider${words}` };
}

/**
 * Where to go on after a failure: the next endpoint, another model (the same request would be refused again), or
 * nowhere.
 */
export function nextAfter(error: ProviderError): 'endpoint' | 'model' | 'stop' {
  if (error.code === 'aborted') return 'stop';
  // Another endpoint of the model may speak the caller's own dialect.
  if (error instanceof CannotCarryError) return 'endpoint';
  return ABOUT_THE_REQUEST.has(error.code) ? 'model' : 'endpoint';
}

/** Whether the failure says something about the endpoint rather than about the request or the caller. */
export function isEndpointsFault(error: ProviderError): boolean {
  return error.code !== 'aborted' && !ABOUT_THE_REQUEST.has(error.code);
}
