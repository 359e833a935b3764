/** Defines how a directory sync continues after its comparison: it applies the changes, ends, stops or fails. */
import type { SyncFailure } from '../../../domain/directory/job.ts';

/** The next step of a run after the comparison. */
export type CompareResult =
  | { kind: 'apply'; people: number }
  /** The job has ended without applying changes: it was a dry run. */
  | { kind: 'ended' }
  /** The guard stopped the sync. */
  | { kind: 'stopped'; reason: SyncFailure }
  | { kind: 'failed'; reason: SyncFailure };
