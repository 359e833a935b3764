/**
 * The closed list of error codes that a caller may receive.
 *
 * The code decides the HTTP status (`contract/errors.ts`) and, unless `publicMessage` is given, the message. The cause
 * never leaves the process: it is logged with the request id.
 */
export type ErrorCode =
  | 'invalid_request'
  | 'no_update_fields'
  | 'missing_credential'
  | 'invalid_credential'
  | 'insufficient_credits'
  | 'key_limit_exceeded'
  | 'budget_exceeded'
  | 'management_key_required'
  | 'management_key_refused'
  | 'entitlement_required'
  | 'csrf_token_required'
  | 'acting_key_required'
  | 'directory_is_pulled'
  | 'intern_key_refused'
  | 'limited_key_refused'
  | 'intern_key_required'
  | 'personal_identity_required'
  | 'regional_host_not_supported'
  | 'secret_not_for_host'
  | 'host_refused'
  | 'content_refused'
  | 'not_found'
  | 'method_not_allowed'
  | 'timeout'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'idempotency_key_reused'
  | 'invalid_argument'
  | 'rate_limited'
  | 'headers_too_large'
  | 'client_cancelled'
  | 'internal'
  | 'not_implemented'
  | 'provider_error'
  | 'unavailable'
  | 'loop_detected'
  | 'provider_timeout'
  | 'provider_overloaded';

/** The error types of SCIM (RFC 7644, section 3.12). */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'
  | 'sensitive';

/** One broken rule of a request: its path, such as `body.frame_images.0.frame_type`, and a message. */
export interface Issue {
  path: string;
  message: string;
}

export interface AppErrorOptions {
  /**
   * Replaces the default message of the code. Operations with exact messages use it for a lack of credits only. It must
   * be safe to show to the caller.
   */
  publicMessage?: string | undefined;
  /** A stable identifier for programs; the code if absent. */
  reason?: string | undefined;
  /** True: the same request may succeed later. Absent: the code decides. */
  retryable?: boolean | undefined;
  issues?: Issue[] | undefined;
  /** Ids of models that a caller with an unknown name may mean, the nearest first. */
  nearestModels?: string[] | undefined;
  /** The length of an answer, in tokens, that the rest of a spending limit would pay for. */
  affordableTokens?: number | undefined;
  /** Seconds until the caller should retry. Sent as `Retry-After` and in the body. */
  retryAfterSeconds?: number | undefined;
  /** Extra response headers, such as `Allow`. */
  headers?: Record<string, string> | undefined;
  /** Set on SCIM operations. */
  scimType?: ScimType | undefined;
  /** True: the failed upstream belongs to the customer, so the operator need not act. */
  isOfCustomer?: boolean | undefined;
  /** Logged only. */
  cause?: unknown;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly options: AppErrorOptions;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.publicMessage ?? code, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.options = options;
  }
}

/** Returns a 400 that names each field and the rule it breaks. */
export function invalidRequest(...issues: Issue[]): AppError {
  return new AppError('invalid_request', { issues });
}
