import { AppError } from '../../../domain/errors.ts';

/** Refuses an update that changes nothing (spec.md, PATCH /keys/{hash}, rule 2). */
export function requireUpdateFields<Changes extends object>(changes: Changes): Changes {
  if (Object.keys(changes).length > 0) return changes;
  throw new AppError('no_update_fields');
}
