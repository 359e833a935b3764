/** Defines the error that ends a directory sync because its source cannot be read. */
import type { SyncFailure } from '../../../domain/directory/job.ts';

/**
 * Means that the source cannot be read, which ends the job. Administrators see the message, which contains no address
 * and no secret.
 */
export class SourceError extends Error {
  readonly reason: SyncFailure;

  constructor(reason: SyncFailure, message: string) {
    super(message);
    this.name = 'SourceError';
    this.reason = reason;
  }
}
