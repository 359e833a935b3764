import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';

export interface WriteOptions {
  databaseUrl: string;
  /** Of the counters; see domain/shard.ts. */
  shard: number;
  /** Every day that a batch may be in. */
  days: readonly Date[];
  /** Told of each batch that is committed. */
  onWritten(rows: number): void;
  /** Ends it before the next batch. */
  stopping: AbortSignal;
}

/** While one inserts its rows, the other adds up its sums: these have rows that only one at a time can change. */
const CONNECTIONS = 2;
/** A batch takes a fraction of a second; a laptop that sleeps takes longer. */
const SILENCE_MS = 120_000;

/**
 * Writes batches as the API writes its own: each is one statement with all counters and rollups, so that whatever is
 * there was added up, wherever this stops.
 */
export async function writeHistory(
  batches: Iterator<GenerationRecord[]>,
  { databaseUrl: url, shard, days, onWritten, stopping }: WriteOptions,
): Promise<void> {
  const connections = Array.from({ length: CONNECTIONS }, () =>
    createLedgerConnection({ url, shard, silenceMs: SILENCE_MS }),
  );
  const write = async (connection: (typeof connections)[number]): Promise<void> => {
    while (!stopping.aborted) {
      const { value: batch, done } = batches.next();
      if (done) return;
      await connection.record(batch);
      onWritten(batch.length);
    }
  };
  try {
    await connections[0]?.ensurePartitions(days);
    await Promise.all(connections.map(write));
  } finally {
    for (const connection of connections) await connection.close();
  }
}
