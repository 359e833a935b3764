/** Defines what stores run their statements on. */
import type pg from 'pg';

/** A statement with `$1` and so on for its values. Each connection parses a named one once. */
export interface Query {
  name?: string;
  text: string;
  values: unknown[];
}

export type QueryResult = pg.QueryResult<Record<string, unknown>>;

/** A pool or a transaction. Every store takes either. */
export interface Handle {
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
