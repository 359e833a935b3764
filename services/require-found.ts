/** Throws the 404 of a resource that does not exist, or whose id cannot be one. */
import { AppError } from '../domain/errors.ts';
import { UUID_PATTERN } from '../domain/ids.ts';

/** Returns the value. Throws 404 if it is null. */
export function requireFound<T>(value: T | null): T {
  if (value === null) throw new AppError('not_found');
  return value;
}

/** Returns the text if it can be an id. Throws the 404 of an unknown id otherwise. */
export function requireId(text: string, pattern = UUID_PATTERN): string {
  if (!pattern.test(text)) throw new AppError('not_found');
  return text;
}
