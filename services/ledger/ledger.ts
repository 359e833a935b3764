import type { GenerationRecord } from '../../domain/ledger/generation.ts';

/** Where every generation of this process is written before its caller gets the end of the answer (design: §5). */
export interface Ledger {
  /**
   * Throws `unavailable` when a generation could not be kept now: neither Postgres nor the spool would take it.
   * Asked before any upstream is called; costs nothing.
   */
  requireOpen(): void;
  /** Resolves when the row is committed in Postgres, or on disk in the spool. A repetition adds nothing. */
  record(generation: GenerationRecord): Promise<void>;
  /**
   * Whether anything that `record` took is not committed in Postgres yet, but only in the spool. True before the
   * first such `record` resolves, until the last such row is committed, or its file is set aside for people. Limits
   * go by it: what this process settled counts from memory for so long. What other processes left in the directory
   * is nothing that this one settled, and does not count here.
   */
  isBehind(): boolean;
  /**
   * Refuses new work at once, and closes when `requests`, the end of those under way, resolves and their rows are kept;
   * it waits ten seconds at most. A row that comes later is still kept, in the spool or in Postgres, but nobody waits
   * for it.
   */
  close(requests?: Promise<void>): Promise<void>;
}
