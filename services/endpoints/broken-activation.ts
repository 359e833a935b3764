import { isCancelled, isOutage } from '../../db/outage.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';

/** The errors after which a draft may still become active or be validated later. */
const EXPECTED = ['timeout', 'conflict', 'unavailable'] as const satisfies ErrorCode[];
type ExpectedCode = (typeof EXPECTED)[number];

/** The activation of a new endpoint that was interrupted by an error. The draft exists. */
export interface BrokenActivation {
  kind: 'unknown';
  code: ExpectedCode;
  error: AppError;
}

/** Returns the meaning of an error for the activation of a new endpoint. Rethrows unexpected errors. */
export function toBrokenActivation(thrown: unknown): BrokenActivation {
  const error = toAppError(thrown);
  const code = EXPECTED.find((expected) => error instanceof AppError && expected === error.code);
  if (!(error instanceof AppError) || code === undefined) throw thrown;
  return { kind: 'unknown', code, error };
}

function toAppError(thrown: unknown): unknown {
  if (isCancelled(thrown)) return new AppError('timeout', { cause: thrown });
  return isOutage(thrown) ? new AppError('unavailable', { cause: thrown }) : thrown;
}
