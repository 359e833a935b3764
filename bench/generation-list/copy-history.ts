/** Adds copies of a synthetic history in SQL, several times faster than the ledger writes one. */
import type { MeasuredGateway } from '../gateway-process.ts';

type Database = MeasuredGateway['database'];

/**
 * Copies each generation, with new ids. Details, tags and sums stay as they are: lists read them, if at all, of single
 * generations.
 */
export async function copyHistory(database: Database, copies: number): Promise<void> {
  if (copies < 1) return;
  const columns = await valuesOf(
    database,
    `select quote_ident(attname) value from pg_attribute
     where attrelid = 'generations'::regclass and attnum > 0 and not attisdropped`,
  );
  const copied = columns.map((column) =>
    column === 'id' ? 'left(id, -12) || right(md5(id || copy), 12)' : column,
  );
  const days = await valuesOf(
    database,
    `select distinct (created_at at time zone 'UTC')::date::text value from generations order by 1`,
  );
  for (const [index, day] of days.entries()) {
    await database.query(
      `insert into generations (${columns.join()}) select ${copied.join()}
       from generations, generate_series(1, ${copies}) copy
       where created_at >= '${day} 00:00Z' and created_at < '${day} 00:00Z'::timestamptz + interval '24 hours'
       order by created_at`,
    );
    process.stdout.write(`Copied day ${index + 1} of ${days.length}\n`);
  }
}

/** Returns the column `value` of a query. */
export async function valuesOf(database: Database, query: string): Promise<string[]> {
  const { rows } = await database.query<{ value: string }>(query);
  return rows.map(({ value }) => value);
}
