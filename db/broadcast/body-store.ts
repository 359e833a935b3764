import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';
import { isMissingPartition } from '../ledger-store.ts';

/** Names the prompt and the answer of a generation. */
export interface BodyKey {
  generationId: string;
  /** The ledger's time of settlement, which decides the partition. */
  settledAt: Date;
}

export interface BodyRow extends BodyKey {
  /** The length of the JSON before it was compressed. */
  size: number;
  sealed: Buffer;
}

/** Prompts and answers that wait for destinations. */
export function createBroadcastBodyStore(handle: Handle) {
  const insertRows = async (rows: readonly BodyRow[]): Promise<void> => {
    await handle.raw(
      `insert into broadcast_bodies (settled_at, generation_id, size, sealed)
       values ${rows.map(() => '(?, ?, ?, ?)').join(', ')} on conflict do nothing`,
      rows.flatMap(({ settledAt, generationId, size, sealed }) => [settledAt, generationId, size, sealed]),
    );
  };
  const ensurePartitions = async (rows: readonly BodyKey[]): Promise<void> => {
    await handle.raw(
      `select ensure_broadcast_bodies_partition(starts_at)
       from (select distinct date_trunc('hour', at, 'UTC') starts_at from unnest(?::timestamptz[]) at) hours`,
      [rows.map(({ settledAt }) => settledAt)],
    );
  };

  return {
    /** Adds rows, in one statement. Makes the partitions that are missing. Repeatable. */
    async insert(rows: readonly BodyRow[]): Promise<void> {
      try {
        await insertRows(rows);
      } catch (error) {
        if (!isMissingPartition(error)) throw error;
        await ensurePartitions(rows);
        await insertRows(rows);
      }
    },

    /** Returns the sizes of those that are there. */
    async sizes(keys: readonly BodyKey[]): Promise<Map<string, number>> {
      const rows = await find<{ size: number }>(handle, keys, 'b.size');
      return new Map(rows.map(({ generation_id: id, size }) => [id, size]));
    },

    /** Returns those that are there, still encrypted. */
    async read(keys: readonly BodyKey[]): Promise<Map<string, Buffer>> {
      const rows = await find<{ sealed: Buffer }>(handle, keys, 'b.sealed');
      return new Map(rows.map(({ generation_id: id, sealed }) => [id, sealed]));
    },
  };
}

export type BroadcastBodyStore = ReturnType<typeof createBroadcastBodyStore>;

/** The times of the oldest and the newest key let Postgres skip partitions, and each key is looked up by itself. */
async function find<Row>(
  handle: Handle,
  keys: readonly BodyKey[],
  columns: string,
): Promise<(Row & { generation_id: string })[]> {
  if (keys.length === 0) return [];
  const times = keys.map(({ settledAt }) => settledAt.getTime());
  return rowsOf<Row & { generation_id: string }>(
    handle,
    `select k.id generation_id, b.*
     from unnest(?::timestamptz[], ?::text[]) k (settled_at, id)
     cross join lateral (
       select ${columns} from broadcast_bodies b
       where b.settled_at = k.settled_at and b.generation_id = k.id and b.settled_at between ? and ?
       limit 1) b`,
    [
      keys.map(({ settledAt }) => settledAt),
      keys.map(({ generationId }) => generationId),
      new Date(Math.min(...times)),
      new Date(Math.max(...times)),
    ],
  );
}
