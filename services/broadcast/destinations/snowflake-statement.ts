/** Builds the SQL statement that inserts a batch of generations into a Snowflake table. */
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { SQL_NAME } from '../../../domain/broadcast/destination-patterns.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { TraceEncoder } from './destination-adapter.ts';
import { TABLE_COLUMNS, tableRow } from './table-row.ts';
import type { ColumnKind, TableColumn } from './table-row.ts';
import { toJson } from './to-json.ts';

type Config = DestinationConfigs['snowflake'];

/** The most seconds that Snowflake works on one statement. */
const STATEMENT_TIMEOUT_S = 60;

const CASTS: Record<ColumnKind, string> = {
  timestamp: '::TIMESTAMP_TZ',
  text: '::VARCHAR',
  name: '::VARCHAR',
  count: '::NUMBER(38, 0)',
  amount: '::NUMBER(38, 9)',
  json: '',
};

/** Returns whether all names can be quoted in a statement. */
export function hasValidNames({ database, schema, table, warehouse }: Config): boolean {
  return [database, schema, table, warehouse].every((name) => SQL_NAME.test(name));
}

/**
 * Returns the body that inserts all spans by one statement. The rows are one bound value and never a part of the
 * statement.
 */
export function insertStatement(
  spans: readonly BroadcastSpan[],
  { database, schema, table, warehouse }: Config,
  encoder: Pick<TraceEncoder, 'attributesOf'>,
): Buffer {
  const rows = spans.map((span) => tableRow(span, encoder));
  return Buffer.from(
    toJson({
      statement: `INSERT INTO "${database}"."${schema}"."${table}" ${SELECTION}`,
      timeout: STATEMENT_TIMEOUT_S,
      database,
      schema,
      warehouse,
      bindings: { '1': { type: 'TEXT', value: toJson(rows) } },
    }),
  );
}

const columns = Object.entries(TABLE_COLUMNS) as [TableColumn, ColumnKind][];

const SELECTION = [
  `(${columns.map(([column]) => `"${column}"`).join(', ')})`,
  `SELECT ${columns.map(([column, kind]) => `r.value['${column}']${CASTS[kind]}`).join(', ')}`,
  'FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?))) r',
].join(' ');
