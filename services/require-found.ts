/** Answers requests for unknown records with a 404. */
import { AppError } from '../domain/errors.ts';
import { UUID_PATTERN } from '../domain/ids.ts';

/** Returns the value. Throws 404 if it is null. */
export function requireFound<T>(value: T | null): T {
  if (value === null) throw new AppError('not_found');
  return value;
}

/** Returns the text if it can be the id of a record. Throws the 404 of an unknown record otherwise. */
export function requireUuid(text: string): string {
  if (!UUID_PATTERN.test(text)) throw new AppError('not_found');
  return text;
}
