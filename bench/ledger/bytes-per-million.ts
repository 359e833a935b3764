import type pg from 'pg';

/** Counters and rollups grow with keys, models and hours instead. */
const PARTITIONED = ['generations', 'generation_details'];

/** What the rows that are there take, for a million of them; as cells. */
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
  // Bytes a row are megabytes a million.
  return [...sizes, ['both', all] as [string, number]].map(([name, bytes]) => [
    name,
    (bytes / count).toFixed(0),
  ]);
}
