/** Measures the disk space of the ledger for a million generations. */
import type pg from 'pg';

/** The tables that grow with generations; others grow with keys, models and hours. */
const PARTITIONED = ['generations', 'generation_details'];

/** Returns the size of existing rows per million, as cells. */
export async function bytesPerMillion(pool: pg.Pool): Promise<string[][]> {
  const { rows } = await pool.query<{ n: string }>('select count(*) n from generations');
  const count = Number(rows[0]!.n);
  const sizes: [string, number][] = [];
  for (const name of PARTITIONED) {
    const found = await pool.query<{ bytes: string }>(
      'select sum(pg_total_relation_size(inhrelid)) bytes from pg_inherits where inhparent = $1::regclass',
      [name],
    );
    sizes.push([name, Number(found.rows[0]!.bytes)]);
  }
  const all = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  // Bytes per row equal megabytes per million.
  return [...sizes, ['both', all] as [string, number]].map(([name, bytes]) => [
    name,
    (bytes / count).toFixed(0),
  ]);
}
