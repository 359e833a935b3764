/** Presents errors in the usual envelope of the API. */
import { type ErrorDetails, type ErrorEnvelope, errorTable } from '../../../contract/errors.ts';
import type { ErrorMessages } from '../../../contract/operation.ts';
import type { AppError, AppErrorOptions, ErrorCode } from '../../../domain/errors.ts';

/** The headers of certain errors, in every operation. */
const HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  missing_credential: { 'www-authenticate': 'Bearer' },
  invalid_credential: { 'www-authenticate': 'Bearer' },
  // The SDKs of OpenAI and Anthropic otherwise repeat requests after every status above 500.
  loop_detected: { 'x-should-retry': 'false' },
};

/**
 * Returns the status, headers and body of an error. `messages` is the style of the operation. The cause is left out,
 * since it is only logged.
 */
export function presentError(
  { code, options }: AppError,
  messages: ErrorMessages = 'explained',
): {
  status: number;
  headers: Record<string, string>;
  body: { error: ErrorEnvelope['error'] & { metadata: ErrorDetails } };
} {
  const row = errorTable[code];
  const { retryAfterSeconds: seconds } = options;
  const metadata = {
    reason: options.reason ?? code,
    retryable: options.retryable ?? row.retryable,
    ...(options.issues === undefined ? {} : { issues: options.issues }),
    ...(options.affordableTokens === undefined ? {} : { affordable_tokens: options.affordableTokens }),
    ...(seconds === undefined ? {} : { retry_after_seconds: seconds }),
  };
  const message = messages === 'exact' ? exactMessage(code, options) : explainedMessage(code, options);
  const error = { code: row.status, message, metadata };
  const headers = {
    ...HEADERS[code],
    ...(seconds === undefined ? {} : { 'retry-after': `${seconds}` }),
    ...options.headers,
  };
  return { status: row.status, headers, body: { error } };
}

/**
 * Returns the message of the error table. Only the error for used-up credits may have another one, which says where to
 * buy more.
 */
function exactMessage(code: ErrorCode, { publicMessage }: AppErrorOptions): string {
  const { message } = errorTable[code];
  return code === 'insufficient_credits' ? (publicMessage ?? message) : message;
}

/** The statuses with messages that name the first broken rule. */
const EXPLAINED = new Set<number>([400, 422, 431]);

function explainedMessage(code: ErrorCode, { publicMessage, issues }: AppErrorOptions): string {
  const row = errorTable[code];
  const message = publicMessage ?? row.message;
  const first = EXPLAINED.has(row.status) ? issues?.[0] : undefined;
  return first === undefined ? message : `${message}: ${first.path} ${first.message}`;
}
