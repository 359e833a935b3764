/** Stores the encrypted prompts and answers that deliveries to observability destinations read. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRows } from '../postgres/statement.ts';
import { isMissingPartition } from '../ledger/ledger-store.ts';

/** Identifies the prompt and the answer of a generation. */
export interface BodyKey {
  generationId: string;
  /** The settlement time in the ledger, which determines the partition. */
  settledAt: Date;
}

export interface BodyRow extends BodyKey {
  /** The length of the JSON before it was compressed. */
  size: number;
  sealed: Buffer;
}

/** Stores prompts and answers that wait for destinations. */
export function createBroadcastBodyStore(handle: Handle) {
  const insertRows = async (rows: readonly BodyRow[]): Promise<void> => {
    await handle.raw(
      `with quick as materialized (select set_config('synchronous_commit', 'off', true))
       insert into broadcast_bodies (settled_at, generation_id, size, sealed)
       select n.* from (values ${rows.map(() => '(?::timestamptz, ?, ?::integer, ?::bytea)').join(', ')}) n, quick
       on conflict do nothing`,
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
    /**
     * Adds rows in one statement, and creates missing partitions. A repetition changes nothing. The commit does not
     * wait for the disk, so a crash of Postgres may lose content, like a crash of the process.
     */
    async insert(rows: readonly BodyRow[]): Promise<void> {
      try {
        await insertRows(rows);
      } catch (error) {
        if (!isMissingPartition(error)) throw error;
        await ensurePartitions(rows);
        await insertRows(rows);
      }
    },

    /** Returns the sizes of existing bodies. */
    async sizes(keys: readonly BodyKey[]): Promise<Map<string, number>> {
      const rows = await find<{ size: number }>(handle, keys, FIND_SIZES);
      return new Map(rows.map(({ generation_id: id, size }) => [id, size]));
    },

    /** Returns existing bodies, still encrypted. */
    async read(keys: readonly BodyKey[]): Promise<Map<string, Buffer>> {
      const rows = await find<{ sealed: Buffer }>(handle, keys, FIND_SEALED);
      return new Map(rows.map(({ generation_id: id, sealed }) => [id, sealed]));
    },
  };
}

export type BroadcastBodyStore = ReturnType<typeof createBroadcastBodyStore>;

/**
 * Returns a statement that looks up each key separately. The oldest and newest times of the keys let Postgres skip
 * partitions.
 */
function findEach(column: 'size' | 'sealed'): { name: string; text: string } {
  return {
    name: `broadcast-bodies-${column}`,
    text: `
      select k.id generation_id, b.*
      from unnest($1::timestamptz[], $2::text[]) k (settled_at, id)
      cross join lateral (
        select b.${column} from broadcast_bodies b
        where b.settled_at = k.settled_at and b.generation_id = k.id and b.settled_at between $3 and $4
        limit 1) b`,
  };
}

const FIND_SIZES = findEach('size');
const FIND_SEALED = findEach('sealed');

async function find<Row>(
  handle: Handle,
  keys: readonly BodyKey[],
  statement: { name: string; text: string },
): Promise<(Row & { generation_id: string })[]> {
  if (keys.length === 0) return [];
  const times = keys.map(({ settledAt }) => settledAt.getTime());
  return uncheckedRows<Row & { generation_id: string }>(handle, statement, [
    keys.map(({ settledAt }) => settledAt),
    keys.map(({ generationId }) => generationId),
    new Date(Math.min(...times)),
    new Date(Math.max(...times)),
  ]);
}
