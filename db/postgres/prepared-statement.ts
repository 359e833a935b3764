/** Runs prepared statements on Knex's connections, for the most frequent queries. */
import type pg from 'pg';
import type { Handle } from './connection.ts';

/** A statement in SQL with `$1` and so on for its values. No other statement may have its name. */
export interface PreparedStatement {
  name: string;
  text: string;
}

type Scalar = string | number | boolean | Date | null;
type Value = Scalar | readonly Scalar[];

/** The part of Knex that lends connections: the pool, or a transaction with its one connection. */
interface Lender {
  acquireConnection(): Promise<pg.Client & { __knexUid: string }>;
  releaseConnection(connection: pg.Client): Promise<unknown>;
  emit(event: 'query-error', error: unknown, query: { __knexUid: string }): void;
}

/**
 * Returns the rows of a statement that runs often. Each connection parses it once. The statement uses Knex's
 * connections without Knex's query builder, which would add half of the driver's own time. Postgres `numeric` and
 * `bigint` arrive as strings.
 */
export async function rowsOfPrepared<Row extends pg.QueryResultRow>(
  handle: Handle,
  statement: PreparedStatement,
  values: readonly Value[],
): Promise<Row[]> {
  const lender = handle.client as Lender;
  const connection = await lender.acquireConnection();
  try {
    return (await connection.query<Row>({ ...statement, values: [...values] })).rows;
  } catch (error) {
    lender.emit('query-error', error, connection);
    throw error;
  } finally {
    await lender.releaseConnection(connection);
  }
}
