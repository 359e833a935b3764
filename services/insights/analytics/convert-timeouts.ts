import { isReplicaConflict, isTooSlow } from '../../../db/postgres/outage.ts';
import { AppError } from '../../../domain/errors.ts';

/**
 * Runs work and throws 408 when a statement exceeds its time limit, or the work waits that long for a connection. A
 * replica also cancels a slow statement that conflicts with changes from the primary; this is a 408 too.
 */
export async function convertTimeouts<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!isTooSlow(error) && !isReplicaConflict(error)) throw error;
    throw new AppError('timeout', { cause: error });
  }
}
