/** Runs statements: SQL with named values, pieces of SQL, prepared statements, and queries that Knex builds. */
import knexFactory from 'knex';
import type { Handle, Query } from './handle.ts';
import { checkShape, type RowOf, type Shape } from './shape.ts';
import { Sql, type SqlValue } from './sql-text.ts';

/** The values of a statement's names. `Values` is an object of values only. */
export type NamedValues<Values = Record<string, SqlValue>> = Readonly<Record<keyof Values, SqlValue>>;

/** A statement that each connection parses once. */
export interface PreparedStatement extends Positioned {
  readonly name: string;
}

/** A statement with `$1` and so on, and the name of each value. */
interface Positioned {
  readonly text: string;
  readonly names: readonly string[];
}

/** A prepared statement with its values. */
interface BoundStatement extends PreparedStatement {
  readonly values: readonly SqlValue[];
}

/** A query that `tables` builds. */
interface BuiltQuery {
  toSQL(): { toNative(): { sql: string; bindings: readonly unknown[] } };
}

/** A pool, a transaction or a session. */
export type Runner = Pick<Handle, 'query'>;

export type Statement = string | Sql | PreparedStatement | BoundStatement | BuiltQuery;

/** Builds queries. It has no connection: `rowsOf` and `run` run them. */
export const tables = knexFactory({ client: 'pg' });

/** Prepares a statement that runs often. No other statement may have its name. */
export function prepared(name: string, text: string): PreparedStatement {
  return { name, ...withPositions(text) };
}

/**
 * Gives a prepared statement all its values, in the order of its names. It is for statements of so many values that an
 * object of them would be slow; a test compares the order of values and names. Throws if a value is missing.
 */
export function withValues(statement: PreparedStatement, values: readonly SqlValue[]): BoundStatement {
  const { names, text } = statement;
  if (values.length !== names.length) throw new Error(`The statement needs ${names.length} values: ${text}`);
  return { ...statement, values };
}

/**
 * Returns the rows of a statement, in which `:name` stands for a value. A name that occurs more than once is one
 * parameter. Tests compare the shape with what Postgres returns, for every statement.
 */
export async function rowsOf<S extends Shape, Values extends NamedValues<Values>>(
  handle: Runner,
  shape: S,
  statement: Statement,
  values?: Values,
): Promise<RowOf<S>[]> {
  const query = toQuery(statement, values);
  const result = await handle.query(query);
  checkShape(shape, query.text, result);
  return result.rows as RowOf<S>[];
}

/** Returns the rows of a statement whose columns depend on the request. Nothing is known of their types. */
export async function untypedRowsOf(handle: Handle, statement: Sql): Promise<Record<string, unknown>[]> {
  return (await handle.query(fromPieces(statement))).rows;
}

/** Runs a statement whose rows do not matter. Returns how many it found, inserted, updated or deleted. */
export async function run<Values extends NamedValues<Values>>(
  handle: Runner,
  statement: Statement,
  values?: Values,
): Promise<number> {
  return (await handle.query(toQuery(statement, values))).rowCount ?? 0;
}

function toQuery(statement: Statement, values: NamedValues = {}): Query {
  if (typeof statement === 'string') return bind(withPositions(statement), values);
  if (statement instanceof Sql) return fromPieces(statement);
  if ('values' in statement)
    return { name: statement.name, text: statement.text, values: [...statement.values] };
  if ('names' in statement) return { name: statement.name, ...bind(statement, values) };
  const { sql, bindings } = statement.toSQL().toNative();
  return { text: sql, values: [...bindings] };
}

function fromPieces({ texts, values }: Sql): Query {
  return { text: texts.reduce((text, next, n) => `${text}$${n}${next}`), values: [...values] };
}

function bind({ text, names }: Positioned, values: NamedValues): Query {
  return {
    text,
    values: names.map((name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`The statement has no value for :${name}: ${text}`);
      return value;
    }),
  };
}

/** Strings, quoted names and comments, which are skipped; then the names of values. `::` is a cast. */
const NAMES = /'[^']*'|"[^"]*"|--.*|(?<![:\w]):([a-z]\w*)/gi;

function withPositions(sql: string): Positioned {
  const names: string[] = [];
  const text = sql.replace(NAMES, (match, name: string | undefined) => {
    if (name === undefined) return match;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, names };
}
