/** Pages through encrypted values of any table and replaces them, for the rotation of the master key. */
import { KEY_ID_END } from '../platform/encryption.ts';
import type { Handle } from './postgres/connection.ts';
import { uncheckedRowsOf } from './postgres/statement.ts';

/** A text column with sealed values, and the key of its rows. */
export interface SealedColumn {
  table: string;
  column: string;
  /**
   * The columns that identify a row: unique together, never null. Rows are read in their order, so an index should
   * begin with the first.
   */
  key: readonly { sql: string; type: 'uuid' | 'text' | 'timestamptz' }[];
}

/** The values that identify a row, in the order of `key`. */
export type RowKey = readonly string[];

export interface SealedRow {
  rowKey: RowKey;
  sealed: string;
}

export interface SealedPage {
  /** The rows whose value is sealed with a master key other than `exceptKeyId`. */
  rows: SealedRow[];
  /** The number of rows that were read. */
  read: number;
  /** The position of the next page. */
  last: RowKey | undefined;
}

/** Reads and replaces the sealed values of one column. Table and column names come from code, never from input. */
export function createSealedColumnStore(handle: Handle, { table, column, key }: SealedColumn) {
  const names = key.map(({ sql }) => sql).join(', ');
  const places = key.map(({ type }) => `?::${type}`).join(', ');
  return {
    countByKeyId: (): Promise<Map<string, number>> =>
      countByKeyId(handle, table, `left(${column}, ${KEY_ID_END})`),

    /** Returns the next rows. Values sealed with the master key `exceptKeyId` are counted, but not returned. */
    async page(after: RowKey | undefined, limit: number, exceptKeyId: string): Promise<SealedPage> {
      const rows = await uncheckedRowsOf<{ row_key: string[]; sealed: string | null }>(
        handle,
        `select array[${key.map(({ sql }) => `(${sql})::text`).join(', ')}] row_key,
           case when left(${column}, ?) = ? then null else ${column} end sealed
         from ${table}
         where ${column} is not null ${after === undefined ? '' : `and (${names}) > (${places})`}
         order by ${names} limit ?`,
        [...prefixOf(exceptKeyId), ...(after ?? []), limit],
      );
      const values = rows.flatMap(({ row_key: rowKey, sealed }) =>
        sealed === null ? [] : [{ rowKey, sealed }],
      );
      return { rows: values, read: rows.length, last: rows.at(-1)?.row_key };
    },

    /** Replaces the value, unless it has changed since it was read. Returns whether it was replaced. */
    async replace({ rowKey, sealed }: SealedRow, replacement: string): Promise<boolean> {
      const rows = await uncheckedRowsOf(
        handle,
        `update ${table} set ${column} = ? where (${names}) = (${places}) and ${column} = ? returning 1`,
        [replacement, ...rowKey, sealed],
      );
      return rows.length > 0;
    },
  };
}

/**
 * Counts sealed values by the id of their master key; '' for other text. `text` is an SQL expression for the beginning
 * of the value.
 */
export async function countByKeyId(
  handle: Handle,
  table: string,
  text: string,
): Promise<Map<string, number>> {
  const rows = await uncheckedRowsOf<{ key_id: string; values: string }>(
    handle,
    `select coalesce(substring(${text} from '^v1\\.([A-Za-z0-9_-]{1,32})\\.'), '') key_id, count(*) values
     from ${table} where ${text} is not null group by 1`,
    [],
  );
  return new Map(rows.map(({ key_id: keyId, values }) => [keyId, Number(values)]));
}

function prefixOf(keyId: string): [length: number, prefix: string] {
  const prefix = `v1.${keyId}.`;
  return [prefix.length, prefix];
}
