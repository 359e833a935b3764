/** Classifies failures of upstreams, and says whether a submission may be repeated. */
import type { Issue } from './errors.ts';

/** The kinds of upstream failures. */
export type ProviderErrorCode =
  | 'not_connected' // refused, DNS failure, guard: no byte of the request left
  | 'connection_lost' // reset or closed after bytes left
  | 'timeout'
  | 'aborted'
  | 'rate_limited'
  | 'overloaded'
  | 'server_error'
  | 'invalid_request'
  | 'unauthorized'
  | 'not_found'
  | 'conflict'
  | 'content_policy'
  | 'loop_detected' // the request came back to a gateway that it had passed
  | 'invalid_response'; // 2xx that does not parse

export interface ProviderErrorFacts {
  code: ProviderErrorCode;
  /** The upstream's HTTP status; absent if it did not answer. */
  status?: number | undefined;
  /** False only if certainly no byte of the request reached the vendor. */
  sent: boolean;
  retryable: boolean;
  retryAfterMs?: number | undefined;
  /** Safe to show to the customer: it has no URL, credential or account of the operator. */
  publicMessage: string;
  /** True: the upstream says that it does not have the model, or no longer has it. */
  isModelGone?: boolean | undefined;
  /** The rule of the adapter that the request breaks, with the caller's name of the field. */
  issue?: Issue | undefined;
  /**
   * The `error.message` of the vendor's JSON, without secrets and links. It may repeat the request, so only the owner
   * of the vendor account may see it.
   */
  vendorMessage?: string | undefined;
  cause?: unknown;
}

export class ProviderError extends Error {
  readonly code: ProviderErrorCode;
  readonly status: number | undefined;
  readonly sent: boolean;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly publicMessage: string;
  readonly isModelGone: boolean;
  readonly issue: Issue | undefined;
  readonly vendorMessage: string | undefined;

  constructor(facts: ProviderErrorFacts) {
    super(`${facts.code}${facts.status === undefined ? '' : ` (${facts.status})`}: ${facts.publicMessage}`, {
      cause: facts.cause,
    });
    this.name = 'ProviderError';
    this.code = facts.code;
    this.status = facts.status;
    this.sent = facts.sent;
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
    this.publicMessage = facts.publicMessage;
    this.isModelGone = facts.isModelGone ?? false;
    this.issue = facts.issue;
    this.vendorMessage = facts.vendorMessage;
  }

  /** Returns a text such as `rate_limited (429)`, without the vendor's message, which may repeat the prompt. */
  get brief(): string {
    return this.status === undefined ? this.code : `${this.code} (${this.status})`;
  }
}

/**
 * Returns whether the upstream certainly did not accept the submission. After other failures (timeouts, resets after
 * bytes, 5xx, unreadable answers) the outcome is unknown, and the submission must not be repeated blindly.
 */
export function isCertainRefusal(error: ProviderError): boolean {
  const { sent, status, code } = error;
  if (!sent || code === 'loop_detected') return true;
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 499;
}

/**
 * Returns the error for a request that breaks a rule of the adapter. No request was sent. `publicMessage` omits the
 * caller's name of the field; jobs show it.
 */
export function brokenRule(issue: Issue, publicMessage = `${issue.path} ${issue.message}`): ProviderError {
  return new ProviderError({ code: 'invalid_request', sent: false, retryable: false, publicMessage, issue });
}
