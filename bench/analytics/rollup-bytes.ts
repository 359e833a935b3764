import type pg from 'pg';

/** Returns the size of the rollups as cells: each table, then both, with their indexes. */
export async function rollupBytes(pool: pg.Pool): Promise<string[][]> {
  const { rows } = await pool.query<{ name: string; n: string; bytes: string; generations: string }>(`
    select name, n, bytes, (select count(*) from generations) generations
    from (
      select 'hourly_usage' name, (select count(*) from hourly_usage) n, pg_total_relation_size('hourly_usage') bytes
      union all
      select 'daily_usage', (select count(*) from daily_usage), pg_total_relation_size('daily_usage')
    ) sizes`);
  const both = rows.reduce(
    (sum, { n, bytes }) => ({ n: sum.n + Number(n), bytes: sum.bytes + Number(bytes) }),
    { n: 0, bytes: 0 },
  );
  const millions = Number(rows[0]!.generations) / 1e6;
  return [...rows, { name: 'both', ...both }].map(({ name, n, bytes }) => [
    name,
    String(n),
    (Number(bytes) / 1e6).toFixed(0),
    (Number(bytes) / 1e6 / millions).toFixed(0),
  ]);
}
