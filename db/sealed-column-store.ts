/** Pages through encrypted values of any table and replaces them, for the rotation of the master key. */
import { KEY_ID_END } from '../platform/encryption.ts';
import type { Handle } from './postgres/connection.ts';
import { anyRows } from './postgres/results.ts';
import { int8, text, texts } from './postgres/shape.ts';
import { joined, sql, type Sql, trustedText } from './postgres/sql-text.ts';
import { rowsOf } from './postgres/statement.ts';

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
  const value = trustedText(column);
  const names = trustedText(key.map((part) => part.sql).join(', '));
  const placesOf = (rowKey: RowKey): Sql =>
    joined(
      key.map(({ type }, n) => sql`${rowKey[n]!}::${trustedText(type)}`),
      ', ',
    );
  return {
    countByKeyId: (): Promise<Map<string, number>> =>
      countByKeyId(handle, table, `left(${column}, ${KEY_ID_END})`),

    /** Returns the next rows. Values sealed with the master key `exceptKeyId` are counted, but not returned. */
    async page(after: RowKey | undefined, limit: number, exceptKeyId: string): Promise<SealedPage> {
      const [length, prefix] = prefixOf(exceptKeyId);
      const rows = await rowsOf(
        handle,
        { rowKey: texts, sealed: text.orNull },
        sql`select array[${trustedText(key.map((part) => `(${part.sql})::text`).join(', '))}] "rowKey",
           case when left(${value}, ${length}) = ${prefix} then null else ${value} end sealed
         from ${trustedText(table)}
         where ${value} is not null ${after === undefined ? sql`` : sql`and (${names}) > (${placesOf(after)})`}
         order by ${names} limit ${limit}`,
      );
      const values = rows.flatMap(({ rowKey, sealed }) => (sealed === null ? [] : [{ rowKey, sealed }]));
      return { rows: values, read: rows.length, last: rows.at(-1)?.rowKey };
    },

    /** Replaces the value, unless it has changed since it was read. Returns whether it was replaced. */
    replace: ({ rowKey, sealed }: SealedRow, replacement: string): Promise<boolean> =>
      anyRows(
        handle,
        sql`update ${trustedText(table)} set ${value} = ${replacement}
          where (${names}) = (${placesOf(rowKey)}) and ${value} = ${sealed}`,
      ),
  };
}

/**
 * Counts sealed values by the id of their master key; '' for other text. `beginning` is an SQL expression for the
 * beginning of the value.
 */
export async function countByKeyId(
  handle: Handle,
  table: string,
  beginning: string,
): Promise<Map<string, number>> {
  const rows = await rowsOf(
    handle,
    { keyId: text, values: int8 },
    `select coalesce(substring(${beginning} from '^v1\\.([A-Za-z0-9_-]{1,32})\\.'), '') "keyId", count(*) values
     from ${table} where ${beginning} is not null group by 1`,
  );
  return new Map(rows.map(({ keyId, values }) => [keyId, Number(values)]));
}

function prefixOf(keyId: string): [length: number, prefix: string] {
  const prefix = `v1.${keyId}.`;
  return [prefix.length, prefix];
}
