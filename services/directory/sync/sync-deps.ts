import type { Handle } from '../../../db/connection.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { RenderRemovalsHeld } from '../push/hold-removals.ts';
import type { OpenSource } from '../sources/open-source.ts';

export interface SyncDeps {
  /** Its statements may take minutes: some are about all people of a directory. */
  knex: Handle;
  openSource: OpenSource;
  renderRemovalsHeld: RenderRemovalsHeld;
  logger: Pick<Logger, 'warn'>;
}

/** Names a job and the run that works on it. */
export interface RunRef {
  jobId: string;
  runId: string;
}

/** When a step that goes on for long is to stop, and whom it tells how far it is. */
export interface Slice {
  untilMs: number;
  /** Aborts when this worker is asked to stop: the step ends after the page or chunk at hand. */
  stopRequested: AbortSignal;
  /** Aborts when there is no time left to finish what is under way. */
  cut: AbortSignal;
}
