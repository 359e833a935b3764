/** Runs statements of which one row, one column, one number or only the existence of a row matters. */
import { int8, type RowOf, type Shape, uuid } from './shape.ts';
import { type Sql, sql } from './sql-text.ts';
import { type NamedValues, rowsOf, run, type Runner, type Statement } from './statement.ts';

/** The length of a statement's text in an error message. */
const MAX_SHOWN_LENGTH = 80;

/** Returns the first row of a statement; null if it has none. */
export async function firstRow<S extends Shape, Values extends NamedValues<Values>>(
  handle: Runner,
  shape: S,
  statement: Statement,
  values?: Values,
): Promise<RowOf<S> | null> {
  const [row] = await rowsOf(handle, shape, statement, values);
  return row ?? null;
}

/** Returns the row of a statement that always has one, such as an insert or a sum. */
export async function oneRow<S extends Shape, Values extends NamedValues<Values>>(
  handle: Runner,
  shape: S,
  statement: Statement,
  values?: Values,
): Promise<RowOf<S>> {
  const [row] = await rowsOf(handle, shape, statement, values);
  if (row === undefined)
    throw new Error(`a statement that always has a row returned none: ${beginningOf(statement)}`);
  return row;
}

/** Returns the beginning of a statement's text, which has no values of a request. */
function beginningOf(statement: Statement): string {
  const text = textOf(statement).trim().replaceAll(/\s+/g, ' ');
  return text.slice(0, MAX_SHOWN_LENGTH);
}

function textOf(statement: Statement): string {
  if (typeof statement === 'string') return statement;
  if ('texts' in statement) return statement.texts.join('?');
  return 'text' in statement ? statement.text : statement.toSQL().toNative().sql;
}

/** Returns the values of the only column of a statement. */
export async function onlyColumn<S extends Shape, Values extends NamedValues<Values>>(
  handle: Runner,
  shape: S,
  statement: Statement,
  values?: Values,
): Promise<RowOf<S>[keyof S][]> {
  const [name] = Object.keys(shape) as (keyof S)[];
  return (await rowsOf(handle, shape, statement, values)).map((row) => row[name!]);
}

/** Returns the column `id`, the only one of the statement. */
export function idsOf(handle: Runner, statement: Statement, values: NamedValues): Promise<string[]> {
  return onlyColumn(handle, { id: uuid }, statement, values);
}

/** Counts rows. `rows` is SQL from `from` on. */
export async function countRows(handle: Runner, rows: string | Sql, values?: NamedValues): Promise<number> {
  const statement = typeof rows === 'string' ? `select count(*) n ${rows}` : sql`select count(*) n ${rows}`;
  return Number((await oneRow(handle, { n: int8 }, statement, values)).n);
}

/** Runs a statement. Returns whether it found, inserted, updated or deleted any row. */
export async function anyRows<Values extends NamedValues<Values>>(
  handle: Runner,
  statement: Statement,
  values?: Values,
): Promise<boolean> {
  return (await run(handle, statement, values)) > 0;
}

/** Takes the lock of this name until the commit. Other transactions that take it wait. */
export async function lockName(transaction: Runner, name: string): Promise<void> {
  await run(transaction, 'select pg_advisory_xact_lock(hashtextextended(:name, 0))', { name });
}
