/** Records the generation of a job in the transaction that ends the job. */
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import type { Handle } from '../postgres/connection.ts';
import { rowsOf, run, withValues } from '../postgres/statement.ts';
import { encodeGenerations, type KnownApps } from './ledger-rows.ts';
import { RECORD_GENERATIONS, RECORDED } from './ledger-statement.ts';

/**
 * Returns whether an error means a missing partition. Check constraints use SQLSTATE 23514 too, so the routine is
 * compared.
 */
export function isMissingPartition(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '23514' && routine === 'ExecFindPartition';
}

const NO_APPS: KnownApps = new Map();

/** Writes to the ledger inside a transaction that settles a job, with the same statement as `ledger-connection.ts`. */
export function createLedgerStore(handle: Handle) {
  return {
    /**
     * Creates the partitions that a record needs. Call it before the settling transaction begins, because the locks of
     * that transaction would delay others.
     */
    async ensurePartition(createdAt: Date): Promise<void> {
      const statement = 'select ensure_ledger_partition(:createdAt), ensure_broadcast_partitions(1)';
      await run(handle, statement, { createdAt });
    },

    /**
     * Adds one generation with its counters and rollups. Returns false, without changes, if it exists already. Lock its
     * job first; docs/architecture.md has the order of locks.
     */
    async record(generation: GenerationRecord, shard: number): Promise<boolean> {
      const values = encodeGenerations([generation], shard, NO_APPS);
      const [row] = await rowsOf(handle, RECORDED, withValues(RECORD_GENERATIONS, values));
      return row?.added === 1;
    },
  };
}
