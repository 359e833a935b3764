import { AppError, type Issue } from '../../domain/errors.ts';

/** Returns a 422 whose reason identifies the broken rule for programs, and whose issues describe it for people. */
export function invalidArgument(reason: string, ...issues: Issue[]): AppError {
  return new AppError('invalid_argument', { reason, issues });
}
