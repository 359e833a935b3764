import { errorTable, type ErrorEnvelope } from '../../contract/errors.ts';
import type { AppError, ErrorCode } from '../../domain/errors.ts';

/** Wherever such an error comes from. */
const HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  missing_credential: { 'www-authenticate': 'Bearer' },
};

/** The envelope of spec.md "Errors". Causes stay behind: they are for the log. */
export function presentError({ code, options }: AppError): {
  status: number;
  headers: Record<string, string>;
  body: ErrorEnvelope;
} {
  const row = errorTable[code];
  const metadata = {
    reason: options.reason ?? code,
    retryable: options.retryable ?? row.retryable,
    ...(options.issues === undefined ? {} : { issues: options.issues }),
    ...(options.affordableTokens === undefined ? {} : { affordable_tokens: options.affordableTokens }),
  };
  const error = { code: row.status, message: options.publicMessage ?? row.message, metadata };
  return { status: row.status, headers: { ...HEADERS[code], ...options.headers }, body: { error } };
}
