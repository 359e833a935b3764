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
    issues: options.issues,
    nearest_models: options.nearestModels,
    affordable_tokens: options.affordableTokens,
    retry_after_seconds: seconds,
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

/** The errors whose messages the specification leaves open. They say where to buy credits, or which header to send. */
const OPEN_MESSAGES: readonly ErrorCode[] = ['insufficient_credits', 'unsupported_media_type'];

/** Returns the message of the error table, unless the specification leaves the message open. */
function exactMessage(code: ErrorCode, { publicMessage }: AppErrorOptions): string {
  const { message } = errorTable[code];
  return OPEN_MESSAGES.includes(code) ? (publicMessage ?? message) : message;
}

/** The statuses with messages that name the first broken rule. */
const EXPLAINED = new Set<number>([400, 422, 431]);

/** Begins the message of a 409 that no repetition changes. It must not ask the caller to try again. */
const LASTING_CONFLICT = 'Resource conflict';

function explainedMessage(code: ErrorCode, options: AppErrorOptions): string {
  const { publicMessage, issues } = options;
  const row = errorTable[code];
  const isLasting = code === 'conflict' && options.retryable === false;
  const message = publicMessage ?? (isLasting ? LASTING_CONFLICT : row.message);
  const isExplained = EXPLAINED.has(row.status) || (isLasting && publicMessage === undefined);
  const first = isExplained ? issues?.[0] : undefined;
  return first === undefined ? message : `${message}: ${first.path} ${first.message}`;
}
