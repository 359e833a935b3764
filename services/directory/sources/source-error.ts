import type { SyncFailure } from '../../../domain/directory/job.ts';

/** Ends a job: the source cannot be read. The message is shown to administrators and holds no address and no secret. */
export class SourceError extends Error {
  readonly reason: SyncFailure;

  constructor(reason: SyncFailure, message: string) {
    super(message);
    this.name = 'SourceError';
    this.reason = reason;
  }
}
