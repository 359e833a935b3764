/** Defines what stores run their statements on. */
import type { Knex } from 'knex';
import type pg from 'pg';

/** A statement with `$1` and so on for its values. Each connection parses a named one once. */
export interface Query {
  name?: string;
  text: string;
  values: unknown[];
}

export type QueryResult = pg.QueryResult<Record<string, unknown>>;

/** A pool or a transaction. Every store takes either. */
export type Handle = KnexHandle;

/** A handle with Knex's methods for building statements, each of which runs when it is awaited. */
export type KnexHandle = KnexCore & Knex;

interface KnexCore extends PlainHandle {
  transaction<T>(work: (transaction: KnexHandle) => PromiseLike<T>, options?: TransactionOptions): Promise<T>;
}

/** A handle without Knex's methods, which go when no store uses them. */
export interface PlainHandle {
  query(query: Query): Promise<QueryResult>;
  /**
   * Runs work in a transaction. Commits when the work succeeds, and rolls back when it throws. A transaction has no
   * transactions within it.
   */
  transaction<T>(work: (transaction: Handle) => PromiseLike<T>, options?: TransactionOptions): Promise<T>;
}

export interface TransactionOptions {
  /** Refuses statements that write. */
  readOnly?: boolean;
}
