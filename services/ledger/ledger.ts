import type { GenerationRecord } from '../../domain/ledger/generation.ts';

/**
 * Stores every generation of this process before its caller gets the end of the answer (docs/design.md, The ledger).
 */
export interface Ledger {
  /**
   * Throws `unavailable` when neither Postgres nor the spool would accept a generation now. The pipeline calls it
   * before it calls an upstream. It does no I/O.
   */
  requireOpen(): void;
  /**
   * Resolves when the row is committed in Postgres, or on disk in the spool. Recording the same generation again adds
   * nothing.
   */
  record(generation: GenerationRecord): Promise<void>;
  /**
   * Returns whether rows of this process are only in the spool and not yet committed in Postgres. Turns true before the
   * first such `record` resolves. Turns false when the last such row is committed, or its file is set aside for
   * operators. While it is true, limits count the amounts that this process settled from memory. Files of other
   * processes in the directory do not count.
   */
  isBehind(): boolean;
  /**
   * Refuses new work at once. Closes when `requests`, which stands for the requests in flight, resolves and their rows
   * are stored, after ten seconds at most. Still stores a row that arrives later, in the spool or in Postgres, but does
   * not wait for it.
   */
  close(requests?: Promise<void>): Promise<void>;
}
