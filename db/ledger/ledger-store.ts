import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import type { Handle } from '../connection.ts';
import { encodeGenerations, type KnownApps } from './ledger-rows.ts';
import { RECORD_GENERATIONS } from './ledger-statement.ts';

/** SQLSTATE 23514 is also every other check's; the words are Postgres' own. */
export function isMissingPartition(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '23514' && routine === 'ExecFindPartition';
}

const NO_APPS: KnownApps = new Map();

/** Knex writes its placeholders without numbers, so the values go in the order in which the text has them. */
const ORDER: number[] = [];
const KNEX_STATEMENT = RECORD_GENERATIONS.text.replaceAll(/\$(\d+)/g, (_, n: string) => {
  ORDER.push(Number(n) - 1);
  return '?';
});

/**
 * The ledger inside a transaction of somebody else, who settles a job with it. Batches go through
 * `ledger-connection.ts`; both write with the same statement.
 */
export function createLedgerStore(handle: Handle) {
  return {
    /** Creates the partitions that a record needs. Not inside the settling transaction, which would hold them back. */
    async ensurePartition(createdAt: Date): Promise<void> {
      await handle.raw('select ensure_ledger_partition(?), ensure_broadcast_partitions(1)', [createdAt]);
    },

    /**
     * Adds one generation with its counters and rollups. False when it was there already, and then nothing is
     * added. Locks the job before it, if there is one: see docs/architecture.md for the order.
     */
    async record(generation: GenerationRecord, shard: number): Promise<boolean> {
      const values = encodeGenerations([generation], shard, NO_APPS);
      const bindings = ORDER.map((index) => values[index] as string);
      const { name } = RECORD_GENERATIONS;
      const { rows }: { rows: { added: number }[] } = await handle
        .raw(KNEX_STATEMENT, bindings)
        .options({ name });
      return rows[0]?.added === 1;
    },
  };
}
