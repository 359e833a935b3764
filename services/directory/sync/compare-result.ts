/** Defines how a directory sync continues after its comparison: it applies the changes, ends, stops or fails. */
import type { SyncFailure } from '../../../domain/directory/job.ts';

/** The next step of a run after the comparison. */
export type CompareResult =
  | { kind: 'apply'; people: number }
  /** The job has ended: it was a dry run, or its guard stopped it. */
  | { kind: 'ended' }
  | { kind: 'stopped'; reason: SyncFailure }
  | { kind: 'failed'; reason: SyncFailure };
