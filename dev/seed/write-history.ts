/** Writes synthetic generations to the ledger over two connections. */
import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';

export interface WriteOptions {
  databaseUrl: string;
  /** The shard of the counters; see domain/shard.ts. */
  shard: number;
  /** The days that batches may contain. */
  days: readonly Date[];
  /** Called for each committed batch. */
  onWritten(rows: number): void;
  /** Stops before the next batch. */
  stopping: AbortSignal;
}

/**
 * The number of connections. While one inserts rows, the other updates the sums. More would not help, because batches
 * update the same sums.
 */
const CONNECTIONS = 2;
/** The timeout of a batch. A batch takes a fraction of a second, but a laptop may sleep meanwhile. */
const SILENCE_MS = 120_000;

/**
 * Writes batches as the API does: each is one statement with all counters and rollups, so every row has its sums even
 * after an interruption.
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
