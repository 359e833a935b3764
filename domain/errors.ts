/**
 * Every failure a caller may be told about, by a closed list of codes.
 *
 * The code decides the HTTP status (`contract/errors.ts`) and, unless `publicMessage` is given, the message
 * of spec.md "Errors". The cause never leaves the process: it goes to the log with the request id.
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
  | 'client_cancelled'
  | 'internal'
  | 'not_implemented'
  | 'provider_error'
  | 'unavailable'
  | 'provider_timeout'
  | 'provider_overloaded';

/** The words by which RFC 7644 (section 3.12) tells SCIM errors apart. */
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

/** One broken rule of a request: where (`body.frame_images.0.frame_type`) and which. */
export interface Issue {
  path: string;
  message: string;
}

export interface AppErrorOptions {
  /**
   * Replaces the message of spec.md for this code. Operations whose messages are exact show it for a lack of credits only. Must
   * be safe to show to the caller.
   */
  publicMessage?: string;
  /** A stable machine word; the code when absent. */
  reason?: string;
  /** Whether the same request may succeed later; derived from the code when absent. */
  retryable?: boolean;
  issues?: Issue[];
  /** With a limit of spending that leaves too little: how long an answer it would pay for, in tokens. */
  affordableTokens?: number;
  /** How long the caller should wait before the next try: the header `Retry-After`, repeated in the body. */
  retryAfterSeconds?: number;
  /** Extra response headers, such as `Allow`. */
  headers?: Record<string, string>;
  /** On SCIM operations. */
  scimType?: ScimType;
  /** The upstream that failed is the customer's own: the operator need not act. */
  isOfCustomer?: boolean;
  /** For the log only. */
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

/** A 400 that names each field and the rule it breaks. */
export function invalidRequest(...issues: Issue[]): AppError {
  return new AppError('invalid_request', { issues });
}
