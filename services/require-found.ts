import { AppError } from '../domain/errors.ts';

/** Returns the value. Throws 404 if it is null. */
export function requireFound<T>(value: T | null): T {
  if (value === null) throw new AppError('not_found');
  return value;
}
