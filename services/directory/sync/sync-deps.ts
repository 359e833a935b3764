/** Defines the dependencies, inputs and results that the steps of a directory sync share. */
import type { ClaimedJob } from '../../../db/directory/job-run-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { RenderRemovalsHeld } from '../push/hold-removals.ts';
import type { OpenSource } from '../sources/open-source.ts';
import type { SyncFailure } from '../../../domain/directory/job.ts';

export interface SyncDeps {
  /** A handle whose statements may take minutes, because some cover all people of a directory. */
  knex: Handle;
  openSource: OpenSource;
  renderRemovalsHeld: RenderRemovalsHeld;
  logger: Pick<Logger, 'warn'>;
}

/** A job, with the run that works on it. */
export interface RunRef {
  jobId: string;
  runId: string;
}

/** A job, with the run that has claimed it. */
export interface OwnedJob extends ClaimedJob {
  runId: string;
}

/** The limits of a long step. */
export interface Slice {
  untilMs: number;
  /** Aborts when this worker must stop; the step then ends after the page or chunk under way. */
  stopRequested: AbortSignal;
  /** Aborts when there is no time left to finish the page or chunk under way. */
  cut: AbortSignal;
}

/** The next step of a run after the comparison. */
export type CompareResult =
  | { kind: 'apply'; people: number }
  /** The job has ended without applying changes: it was a dry run. */
  | { kind: 'ended' }
  /** The guard stopped the sync. */
  | { kind: 'stopped'; reason: SyncFailure }
  | { kind: 'failed'; reason: SyncFailure };
