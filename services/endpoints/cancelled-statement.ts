/** Turns a database statement that Postgres cancelled for its duration into a 408 for the caller. */
import { isCancelled } from '../../db/postgres/outage.ts';
import { AppError } from '../../domain/errors.ts';

/** Throws 408 when Postgres cancelled a statement of the work because it took too long. */
export async function convertCancelledStatement<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isCancelled(error)) throw error;
    throw new AppError('timeout', { cause: error });
  }
}
