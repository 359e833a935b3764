import type pg from 'pg';
import type { Handle } from './connection.ts';

/** With `$1` and so on for its values. No other statement has its name. */
export interface PreparedStatement {
  name: string;
  text: string;
}

type Scalar = string | number | boolean | Date | null;
type Value = Scalar | readonly Scalar[];

/** What Knex lends connections by; those of a transaction, itself. */
interface Lender {
  acquireConnection(): Promise<pg.Client & { __knexUid: string }>;
  releaseConnection(connection: pg.Client): Promise<unknown>;
  emit(event: 'query-error', error: unknown, query: { __knexUid: string }): void;
}

/**
 * Rows of what is asked all the time. A connection parses it once, and plans it once where one plan does. It goes past
 * Knex, which takes half as long over a statement as the driver does, by Knex's own connections. Postgres `numeric` and
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
