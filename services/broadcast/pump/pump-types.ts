import type { Handle } from '../../../db/connection.ts';
import type { RecordDeps } from './batch-record.ts';
import type { ContentSource } from './content-source.ts';
import type { Halt } from './deliver-batch.ts';
import type { News } from './news.ts';
import type { OpenDestination } from './open-destination.ts';

/** How a pump ended. */
export type PumpResult =
  /** No generation has come for a while. The destination's row says `idle`, so the next generation wakes it. */
  | { kind: 'idle' }
  /** Its time is over, or the worker stops: another one goes on at once. */
  | { kind: 'handed_over' }
  | {
      kind: 'back_off';
      state: Halt['state'];
      waitMs: number;
      reason: string;
      /** How many generations wait. Absent in the results of an earlier version. */
      behind?: number;
    }
  /** The destination is deleted or disabled. */
  | { kind: 'stopped' };

export interface PumpDeps extends RecordDeps {
  knex: Handle;
  news: News;
  /** Returns null for a destination that is deleted or disabled. Reads the settings each time. */
  findDestination(id: string): Promise<OpenDestination | null>;
  content: ContentSource;
}

export interface PumpTimes {
  /** How long one pump runs. */
  runMs: number;
  /** How long it waits for a generation before it ends. */
  idleMs: number;
  /** How often it looks at its settings while it waits. */
  lookMs: number;
  /** How far apart batches begin at least while there is no backlog. */
  paceMs: number;
  /** How long after a generation's settlement it waits for content that was announced, and how often it looks for it. */
  contentWaitMs: number;
  contentPollMs: number;
}

/** Says to people who watch a pump what it does at the moment. */
export interface PumpReport {
  doing: string;
  delivered: number;
  /** How many generations waited when it last looked. */
  behind: number;
}

export interface PumpSignals {
  /** The pump ends after the batch under way. */
  stopRequested: AbortSignal;
  /** The batch under way is cut. */
  cut: AbortSignal;
  report(report: PumpReport): void;
}
