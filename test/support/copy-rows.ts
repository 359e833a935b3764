import type pg from 'pg';

/**
 * Inserts copies of the rows that match `where`, which names its parameters `$1` and so on. `changes` are the SQL
 * arguments of `jsonb_build_object`: columns of the copies with their values, where `n` counts the copies of a row
 * from 1.
 */
export async function copyRows(
  database: Pick<pg.Pool, 'query'>,
  table: string,
  rows: { copies: number; changes: string; where?: string; values?: unknown[] },
): Promise<void> {
  const { copies, changes, where = 'true', values = [] } = rows;
  // In `from`, because Postgres makes a record once for each of its columns if it stands in `select (record).*`. The
  // record names `n`, which is no column: otherwise Postgres makes one record for all copies of a row.
  await database.query(
    `insert into ${table}
     select copy.* from ${table} original, generate_series(1, ${copies}) n,
       jsonb_populate_record(original, jsonb_build_object('n', n, ${changes})) copy
     where ${where}`,
    values,
  );
}
