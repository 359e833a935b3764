/** Defines the tables of docs/broadcast.md that customers create in ClickHouse and Snowflake. */
import {
  type ColumnKind,
  TABLE_COLUMNS,
  type TableColumn,
} from '../../services/broadcast/destinations/table-row.ts';

/** The columns that every row has. */
const REQUIRED_COLUMNS: ReadonlySet<TableColumn> = new Set<TableColumn>([
  'TIMESTAMP',
  'TRACE_ID',
  'SPAN_TYPE',
  'MODEL',
  'PROVIDER_NAME',
  'STATUS',
  'LEVEL',
  'DURATION_MS',
]);

const CLICKHOUSE_TYPES: Record<ColumnKind, string> = {
  timestamp: "DateTime64(3, 'UTC')",
  text: 'String',
  name: 'LowCardinality(String)',
  count: 'UInt64',
  amount: 'Float64',
  json: 'String',
};

const SNOWFLAKE_TYPES: Record<ColumnKind, string> = {
  timestamp: 'TIMESTAMP_TZ(3)',
  text: 'VARCHAR',
  name: 'VARCHAR',
  count: 'NUMBER(38, 0)',
  amount: 'NUMBER(38, 9)',
  json: 'VARIANT',
};

const columns = Object.keys(TABLE_COLUMNS) as TableColumn[];

/**
 * The definition of the table of spans in ClickHouse. The deduplication window makes a table without replicas
 * recognize a repeated batch, as replicated tables do by default.
 */
export const CLICKHOUSE_TABLE = `CREATE TABLE IF NOT EXISTS OPENROUTER_TRACES
(
${columns.map((column) => `    ${column} ${clickhouseType(column)}`).join(',\n')}
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(TIMESTAMP)
ORDER BY (TIMESTAMP, TRACE_ID)
SETTINGS non_replicated_deduplication_window = 1000`;

/** The definition of the table of spans in Snowflake. */
export const SNOWFLAKE_TABLE = `CREATE TABLE IF NOT EXISTS "OPENROUTER_TRACES"
(
${columns.map((column) => `    "${column}" ${snowflakeType(column)}`).join(',\n')}
)`;

function clickhouseType(column: TableColumn): string {
  const kind = TABLE_COLUMNS[column];
  const type = CLICKHOUSE_TYPES[kind];
  if (REQUIRED_COLUMNS.has(column)) return type;
  return kind === 'name' ? 'LowCardinality(Nullable(String))' : `Nullable(${type})`;
}

function snowflakeType(column: TableColumn): string {
  const type = SNOWFLAKE_TYPES[TABLE_COLUMNS[column]];
  return REQUIRED_COLUMNS.has(column) ? `${type} NOT NULL` : type;
}
