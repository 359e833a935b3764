/** Lets the statements that Knex builds run by themselves, for the rows that tests set up. */
import type { Knex } from 'knex';
import type pg from 'pg';
import type { Handle, TransactionOptions } from '../../db/postgres/handle.ts';
import { tables } from '../../db/postgres/statement.ts';

/** A handle with Knex's methods for building statements, each of which runs when it is awaited. */
export type KnexHandle = KnexCore & Knex;

interface KnexCore extends Handle {
  transaction<T>(work: (transaction: KnexHandle) => PromiseLike<T>, options?: TransactionOptions): Promise<T>;
}

type Builder = Knex.QueryBuilder | Knex.Raw;

/** Returns a handle with Knex's methods for building statements. Each statement runs when it is awaited. */
export function bridged(handle: Handle): KnexHandle {
  const transaction = (
    work: (transaction: KnexHandle) => PromiseLike<unknown>,
    options?: TransactionOptions,
  ): Promise<unknown> => handle.transaction((inner) => work(bridged(inner)), options);
  return new Proxy(tables as unknown as KnexHandle, {
    get(target, name) {
      if (name === 'query') return handle.query;
      if (name === 'transaction') return transaction;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]) => runnable(handle, Reflect.apply(value, target, values));
    },
    apply: (target, _self, values) => runnable(handle, Reflect.apply(target, undefined, values)),
  });
}

function isBuilder(value: unknown): value is Builder {
  return typeof value === 'object' && value !== null && 'toSQL' in value;
}

function runnable(handle: Handle, built: unknown): unknown {
  if (!isBuilder(built)) return built;
  const proxy: unknown = new Proxy(built, {
    get(target, name) {
      if (name === 'then' || name === 'catch' || name === 'finally') {
        const result = runBuilt(handle, target);
        return result[name].bind(result);
      }
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]) => {
        const next: unknown = Reflect.apply(value, target, values);
        return next === target ? proxy : runnable(handle, next);
      };
    },
  });
  return proxy;
}

/** Runs a statement and returns what Knex would return for it. */
async function runBuilt(handle: Handle, builder: Builder): Promise<unknown> {
  const built = builder.toSQL() as Knex.Sql & { returning?: unknown; pluck?: string };
  if (built.sql === '') return [];
  const { sql, bindings } = built.toNative();
  const result: pg.QueryResult = await handle.query({ text: sql, values: [...bindings] });
  if ((built.method as string) === 'raw') return result;
  if (result.command === 'SELECT') {
    if ((built.method as string) === 'first') return result.rows[0];
    return built.pluck === undefined ? result.rows : result.rows.map((row) => row[built.pluck!] as unknown);
  }
  if (built.returning !== undefined) return result.rows;
  return result.rowCount;
}

/** Returns rows whose type nothing checks. */
export async function uncheckedRowsOf<Row>(
  handle: Handle,
  sql: string,
  bindings: Knex.RawBinding[] | Knex.ValueDict = [],
): Promise<Row[]> {
  const native = tables
    .raw(sql, bindings as Knex.RawBinding[])
    .toSQL()
    .toNative();
  return (await handle.query({ text: native.sql, values: [...native.bindings] })).rows as Row[];
}
