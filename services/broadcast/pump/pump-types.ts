/** Defines the dependencies, times, signals and results of a pump, which delivers the log to one destination. */
import type { Handle } from '../../../db/postgres/connection.ts';
import type { RecordDeps } from './batch-record.ts';
import type { ContentSource } from './content-source.ts';
import type { Halt } from './deliver-batch.ts';
import type { DestinationWatch } from './destination-watch.ts';
import type { LogWatch } from './log-watch.ts';
import type { OpenDestination } from './open-destination.ts';
import type { Turns } from './turns.ts';

/** The reason why a pump ended. */
export type PumpResult =
  /**
   * There was no generation for a while, or other destinations wait for a pump. The destination's row says `idle`, so
   * the next generation wakes it, or its next turn.
   */
  | { kind: 'idle' }
  /** The pump's time is over, or the worker stops; the next pump starts at once. */
  | { kind: 'handed_over' }
  | {
      kind: 'back_off';
      state: Halt['state'];
      waitMs: number;
      reason: string;
      /** The number of waiting generations. */
      behind: number;
    }
  /** The destination is deleted or disabled. */
  | { kind: 'stopped' };

export interface PumpDeps extends RecordDeps {
  knex: Handle;
  logWatch: LogWatch;
  /** Returns the destination; null when it is deleted or disabled. Reads the settings each time. */
  findDestination(id: string): Promise<OpenDestination | null>;
  content: ContentSource;
  turns: Turns;
  destinationWatch: DestinationWatch;
  /** Called when a pump has begun or ended: another destination may now be started. Neither waits nor throws. */
  wakeNext(): void;
}

export interface PumpTimes {
  /** The time for which one pump runs. */
  runMs: number;
  /** The time after which a pump ends if other destinations wait for a pump. */
  turnMs: number;
  /** The time without generations after which a pump ends. */
  idleMs: number;
  /** The interval at which a waiting pump reads its settings. */
  checkMs: number;
  /** The shortest time between the starts of two batches while there is no backlog. */
  paceMs: number;
  /** The longest wait for announced content, and the interval at which it is looked up. */
  contentWaitMs: number;
  contentPollMs: number;
  /** The time for which generations wait whose filters could not decide without the content. */
  lateContentMs: number;
}

/** The current activity of a pump, for operators. */
export interface PumpReport {
  doing: string;
  delivered: number;
  /** The number of waiting generations at the last count. */
  behind: number;
}

export interface PumpSignals {
  /** Aborts when the pump is to end after the batch under way. */
  stopRequested: AbortSignal;
  /** Aborts when the batch under way is to be cut off. */
  cut: AbortSignal;
  report(report: PumpReport): void;
}
