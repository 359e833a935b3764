import { AppError } from '../../../domain/errors.ts';

/** Rejects an update that changes nothing. */
export function requireUpdateFields<Changes extends object>(changes: Changes): Changes {
  if (Object.keys(changes).length > 0) return changes;
  throw new AppError('no_update_fields');
}
