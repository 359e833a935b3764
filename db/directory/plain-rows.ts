/** Runs statements that return only a number of rows, only whether there are some, or only ids. */
import type { Handle } from '../postgres/connection.ts';
import { int4, uuid } from '../postgres/shape.ts';
import { type NamedValues, rowsOf } from '../postgres/statement.ts';

/** SQL: only rows of `:organizationId`. */
export const OF_ORGANIZATION = 'where organization_id = :organizationId';

/** Counts rows. `rows` is SQL from `from` on. */
export async function countRows(handle: Handle, rows: string, values: NamedValues): Promise<number> {
  const [row] = await rowsOf(handle, { n: int4 }, `select count(*)::int n ${rows}`, values);
  return row!.n;
}

/** Returns whether there are rows. `rows` is SQL from `from` on. */
export async function hasRows(handle: Handle, rows: string, values: NamedValues): Promise<boolean> {
  return (await rowsOf(handle, {}, `select ${rows} limit 1`, values)).length > 0;
}

/** Returns the column `id`, the only one of the statement. */
export async function idsOf(handle: Handle, statement: string, values: NamedValues): Promise<string[]> {
  return (await rowsOf(handle, { id: uuid }, statement, values)).map(({ id }) => id);
}
