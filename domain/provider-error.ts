import type { Issue } from './errors.ts';

/** What went wrong with an upstream, with its own retry verdict. */
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
  | 'invalid_response'; // 2xx that does not parse

export interface ProviderErrorFacts {
  code: ProviderErrorCode;
  /** The upstream's HTTP status; absent when there was no answer. */
  status?: number;
  /** Whether the request may have left for the vendor: false only when certainly no byte of it did. */
  sent: boolean;
  retryable: boolean;
  retryAfterMs?: number;
  /** Safe to show to the customer: no URL, credential or account of the operator. */
  publicMessage: string;
  /** The rule of the adapter that the request breaks, with the name that the caller has for the field. */
  issue?: Issue;
  /**
   * The `error.message` of the vendor's JSON, without secrets and links. Only for the owner of the account there: it may
   * repeat the request.
   */
  vendorMessage?: string;
  cause?: unknown;
}

export class ProviderError extends Error {
  readonly code: ProviderErrorCode;
  readonly status: number | undefined;
  readonly sent: boolean;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly publicMessage: string;
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
    this.issue = facts.issue;
    this.vendorMessage = facts.vendorMessage;
  }

  /** Such as `rate_limited (429)`: without the vendor's words, which may repeat the customer's. */
  get brief(): string {
    return this.status === undefined ? this.code : `${this.code} (${this.status})`;
  }
}

/**
 * Whether the upstream certainly did not accept the submission that failed so. Everything else (timeouts,
 * resets after bytes, 5xx, unreadable answers) is an unknown outcome and must not be repeated blindly.
 */
export function isCertainRefusal(error: ProviderError): boolean {
  const { sent, status } = error;
  if (!sent) return true;
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 499;
}

/**
 * Returns the refusal of a request that breaks a rule of the adapter. Nothing was sent. `publicMessage` says it without the
 * caller's name of the field, for the errors of jobs.
 */
export function brokenRule(issue: Issue, publicMessage = `${issue.path} ${issue.message}`): ProviderError {
  return new ProviderError({ code: 'invalid_request', sent: false, retryable: false, publicMessage, issue });
}
