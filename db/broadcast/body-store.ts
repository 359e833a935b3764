/** Stores the encrypted prompts and answers that deliveries to observability destinations read. */
import type { Handle } from '../postgres/connection.ts';
import { bytea, int4, type RowOf, type Shape, text } from '../postgres/shape.ts';
import { joined, sql } from '../postgres/sql-text.ts';
import { prepared, type PreparedStatement, rowsOf, run } from '../postgres/statement.ts';
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
    const values = rows.map(
      ({ settledAt, generationId, size, sealed }) =>
        sql`(${settledAt}::timestamptz, ${generationId}, ${size}::integer, ${sealed}::bytea)`,
    );
    await run(
      handle,
      sql`with quick as materialized (select set_config('synchronous_commit', 'off', true))
       insert into broadcast_bodies (settled_at, generation_id, size, sealed)
       select n.* from (values ${joined(values, ', ')}) n, quick
       on conflict do nothing`,
    );
  };
  const ensurePartitions = async (rows: readonly BodyKey[]): Promise<void> => {
    await run(
      handle,
      `select ensure_broadcast_bodies_partition(starts_at)
       from (select distinct date_trunc('hour', at, 'UTC') starts_at from unnest(:times::timestamptz[]) at) hours`,
      { times: rows.map(({ settledAt }) => settledAt) },
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
      const rows = await find(handle, keys, { id: text, size: int4 }, FIND_SIZES);
      return new Map(rows.map(({ id, size }) => [id, size]));
    },

    /** Returns existing bodies, still encrypted. */
    async read(keys: readonly BodyKey[]): Promise<Map<string, Buffer>> {
      const rows = await find(handle, keys, { id: text, sealed: bytea }, FIND_SEALED);
      return new Map(rows.map(({ id, sealed }) => [id, sealed]));
    },
  };
}

export type BroadcastBodyStore = ReturnType<typeof createBroadcastBodyStore>;

/**
 * Returns a statement that looks up each key separately. The oldest and newest times of the keys let Postgres skip
 * partitions.
 */
function findEach(column: 'size' | 'sealed'): PreparedStatement {
  return prepared(
    `broadcast-bodies-${column}`,
    `select k.id, b.*
     from unnest(:times::timestamptz[], :ids::text[]) k (settled_at, id)
     cross join lateral (
       select b.${column} from broadcast_bodies b
       where b.settled_at = k.settled_at and b.generation_id = k.id and b.settled_at between :oldest and :newest
       limit 1) b`,
  );
}

const FIND_SIZES = findEach('size');
const FIND_SEALED = findEach('sealed');

async function find<S extends Shape>(
  handle: Handle,
  keys: readonly BodyKey[],
  shape: S,
  statement: PreparedStatement,
): Promise<RowOf<S>[]> {
  if (keys.length === 0) return [];
  const times = keys.map(({ settledAt }) => settledAt);
  const milliseconds = times.map((time) => time.getTime());
  return rowsOf(handle, shape, statement, {
    times,
    ids: keys.map(({ generationId }) => generationId),
    oldest: new Date(Math.min(...milliseconds)),
    newest: new Date(Math.max(...milliseconds)),
  });
}
