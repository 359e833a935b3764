import { AppError, type Issue } from '../../domain/errors.ts';

/** A 422 whose reason tells programs which rule is broken, and whose issues tell people. */
export function invalidArgument(reason: string, ...issues: Issue[]): AppError {
  return new AppError('invalid_argument', { reason, issues });
}
