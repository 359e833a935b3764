import { AppError } from '../../domain/errors.ts';

/** Returns the 409 for a name that another intern of the same creator has in the workspace. */
export function nameTaken(): AppError {
  const issue = { path: 'body.name', message: 'is the name of another intern of the same creator' };
  return new AppError('conflict', { reason: 'intern_name_taken', retryable: false, issues: [issue] });
}
