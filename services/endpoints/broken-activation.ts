/** Lets the creation of a private endpoint succeed when an error interrupts only its activation. */
import { isCancelled, isOutage } from '../../db/postgres/outage.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';

/** The errors after which a draft may still become active or be validated later. */
const EXPECTED = ['timeout', 'conflict', 'unavailable'] as const satisfies ErrorCode[];
type ExpectedCode = (typeof EXPECTED)[number];

/** The result of activating a new endpoint when an error interrupted the activation. The draft exists. */
export interface BrokenActivation {
  kind: 'unknown';
  code: ExpectedCode;
  error: AppError;
}

/** Returns the result for an error that interrupted an activation. Rethrows unexpected errors. */
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
