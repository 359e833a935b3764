/** Lists every error that the API returns, and defines its envelope. */
import { z } from 'zod';
import type { ErrorCode } from '../domain/errors.ts';

interface ErrorRow {
  status: number;
  message: string;
  /** True: the same request may succeed later. An error can override it. */
  retryable: boolean;
}

/** The status, message and retryability of each error code. Clients may rely on the exact messages. */
export const errorTable = {
  invalid_request: { status: 400, message: 'Invalid request parameters', retryable: false },
  no_update_fields: { status: 400, message: 'No update fields provided', retryable: false },
  missing_credential: { status: 401, message: 'Missing Authentication header', retryable: false },
  invalid_credential: { status: 401, message: 'Missing Authentication header', retryable: false },
  insufficient_credits: { status: 402, message: 'Insufficient credits', retryable: false },
  key_limit_exceeded: { status: 402, message: 'Key limit exceeded', retryable: false },
  budget_exceeded: { status: 402, message: 'Workspace budget exceeded', retryable: false },
  management_key_required: {
    status: 403,
    message: 'Only management keys can perform this operation',
    retryable: false,
  },
  management_key_refused: {
    status: 403,
    message: 'Management keys cannot call generation endpoints',
    retryable: false,
  },
  entitlement_required: {
    status: 403,
    message: 'The organization is not entitled to this operation',
    retryable: false,
  },
  csrf_token_required: {
    status: 403,
    message: 'A session must send its token in Sluice-CSRF-Token',
    retryable: false,
  },
  acting_key_required: {
    status: 403,
    message:
      'A session generates with a regular key of its organization, named by its hash in Sluice-Acting-Key',
    retryable: false,
  },
  directory_is_pulled: { status: 403, message: 'The directory is read from its source', retryable: false },
  intern_key_refused: {
    status: 403,
    message: 'Intern keys cannot perform this operation',
    retryable: false,
  },
  limited_key_refused: {
    status: 403,
    message: 'A key with a limit or an expiry cannot make other keys',
    retryable: false,
  },
  intern_key_required: {
    status: 403,
    message: 'Only the intern’s own key can perform this operation',
    retryable: false,
  },
  personal_identity_required: {
    status: 403,
    message: 'Personal connections need a personal identity login',
    retryable: false,
  },
  regional_host_not_supported: {
    status: 403,
    message: 'Not available on regional hosts',
    retryable: false,
  },
  secret_not_for_host: {
    status: 403,
    message: 'No secret of this name may be sent to this host',
    retryable: false,
  },
  host_refused: { status: 403, message: 'The gateway does not send to this host', retryable: false },
  content_refused: { status: 403, message: 'Provider returned error', retryable: false },
  not_found: { status: 404, message: 'Resource not found', retryable: false },
  method_not_allowed: { status: 405, message: 'Method not allowed', retryable: false },
  timeout: { status: 408, message: 'Operation timed out. Please try again later.', retryable: true },
  conflict: { status: 409, message: 'Resource conflict. Please try again later.', retryable: true },
  gone: { status: 410, message: 'Resource is no longer available', retryable: false },
  precondition_failed: { status: 412, message: 'Precondition failed', retryable: false },
  payload_too_large: { status: 413, message: 'Request payload too large', retryable: false },
  unsupported_media_type: {
    status: 415,
    message: 'Unsupported media type: send the header Content-Type: application/json',
    retryable: false,
  },
  range_not_satisfiable: { status: 416, message: 'Range not satisfiable', retryable: false },
  idempotency_key_reused: {
    status: 422,
    message: 'Idempotency key was used with a different request',
    retryable: false,
  },
  invalid_argument: { status: 422, message: 'Invalid argument', retryable: false },
  rate_limited: { status: 429, message: 'Rate limit exceeded', retryable: true },
  headers_too_large: { status: 431, message: 'Request header fields too large', retryable: false },
  client_cancelled: { status: 499, message: 'The request was cancelled.', retryable: true },
  internal: { status: 500, message: 'Internal Server Error', retryable: true },
  not_implemented: { status: 501, message: 'Not implemented', retryable: false },
  provider_error: { status: 502, message: 'Provider returned error', retryable: true },
  unavailable: { status: 503, message: 'Service temporarily unavailable', retryable: true },
  loop_detected: { status: 508, message: 'Loop detected', retryable: false },
  provider_timeout: { status: 524, message: 'Request timed out. Please try again later.', retryable: true },
  provider_overloaded: { status: 529, message: 'Provider returned error', retryable: true },
} as const satisfies Record<ErrorCode, ErrorRow>;

export type ErrorStatus = (typeof errorTable)[ErrorCode]['status'];

const issue = z.object({
  path: z.string().meta({
    description: 'The path of the value: `body`, `query`, `params` or `headers`, then names and indexes.',
    examples: ['body.frame_images.0.frame_type'],
  }),
  message: z.string().meta({ description: 'The broken rule, in words.' }),
});

/** The fields of an error beside code and message. */
export const errorDetails = z.object({
  reason: z.string().meta({ description: 'A stable identifier for programs.' }),
  retryable: z.boolean().meta({ description: 'True if the same request may succeed later.' }),
  issues: z.array(issue).optional(),
  nearest_models: z
    .array(z.string())
    .optional()
    .meta({
      description:
        'Set on a 404 for an unknown model: the ids of up to three models with similar names that the caller can reach, the nearest first.',
      examples: [['openai/gpt-5.1', 'openai/gpt-5-mini']],
    }),
  affordable_tokens: z.int().min(0).optional().meta({
    description:
      'Set on a 402 of a text request: the longest answer, in tokens, that the remaining money pays for.',
  }),
  retry_after_seconds: z.int().optional().meta({
    description:
      'Seconds to wait before a retry, as in the header `Retry-After`, which an error inside a stream does not have.',
  }),
});

export type ErrorDetails = z.output<typeof errorDetails>;

/** The fields of an error inside a stream, beside code and message. */
export const streamErrorDetails = errorDetails.extend({
  error_type: z.string().meta({ description: 'Equals `reason`.' }),
});

/** The error envelope. `code` equals the HTTP status. */
export const errorEnvelope = z
  .object({
    error: z.object({
      code: z.int().meta({ description: 'The HTTP status.' }),
      message: z.string().meta({
        description:
          'A fixed sentence for the error. In a 400, 422 or 431 the first of `issues` follows it, except on operations whose description says that messages are exact.',
      }),
      metadata: errorDetails.optional(),
    }),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' });

export type ErrorEnvelope = z.output<typeof errorEnvelope>;
