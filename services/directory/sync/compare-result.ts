import type { SyncFailure } from '../../../domain/directory/job.ts';

/** Says how a run goes on after the comparison. */
export type CompareResult =
  | { kind: 'apply'; people: number }
  /** The job has ended: a dry run, or one that its guard stopped. */
  | { kind: 'ended' }
  | { kind: 'stopped'; reason: SyncFailure }
  | { kind: 'failed'; reason: SyncFailure };
