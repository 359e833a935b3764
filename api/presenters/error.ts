import { type ErrorDetails, type ErrorEnvelope, errorTable } from '../../contract/errors.ts';
import type { AppError, ErrorCode } from '../../domain/errors.ts';

/** Wherever such an error comes from. */
const HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  missing_credential: { 'www-authenticate': 'Bearer' },
};

/** The envelope of spec.md "Errors". Causes stay behind: they are for the log. */
export function presentError({ code, options }: AppError): {
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
  const error = { code: row.status, message: options.publicMessage ?? row.message, metadata };
  const headers = {
    ...HEADERS[code],
    ...(seconds === undefined ? {} : { 'retry-after': `${seconds}` }),
    ...options.headers,
  };
  return { status: row.status, headers, body: { error } };
}
