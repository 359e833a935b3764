import { isReplicaConflict, isTooSlow } from '../../../db/outage.ts';
import { AppError } from '../../../domain/errors.ts';

/**
 * 408 when Postgres takes longer over one statement than it may, or is busy for so long with others. So it is when a
 * replica gives up a statement that was in the way of the primary's changes: it took too long for that.
 */
export async function inTime<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!isTooSlow(error) && !isReplicaConflict(error)) throw error;
    throw new AppError('timeout', { cause: error });
  }
}
