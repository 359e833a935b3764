/** Sends generations to a ClickHouse table of the customer. */
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { SQL_NAME } from '../../../domain/broadcast/destination-patterns.ts';
import { createHttpAdapter } from './create-http-adapter.ts';
import { DEFAULT_LIMITS } from './destination-adapter.ts';
import type { Batch, AnswerClass } from './destination-adapter.ts';
import type { ToolAnswer } from './exchange.ts';
import { joinUrl } from './join-url.ts';
import { retry } from './classify-answer.ts';
import { stableUuid } from './stable-uuid.ts';
import { TABLE_COLUMNS, tableRow } from './table-row.ts';
import type { TableColumn, TableRow } from './table-row.ts';
import { toJson } from './to-json.ts';

type Config = DestinationConfigs['clickhouse'];

/** Codes of exceptions that every batch would cause, with advice for the owner. */
const PAUSES = new Map([
  ['16', 'The table lacks a column; the documentation has its definition'],
  ['60', 'The table does not exist'],
  ['81', 'The database does not exist'],
  ['192', 'ClickHouse does not know the user'],
  ['193', 'ClickHouse does not accept the password'],
  ['194', 'ClickHouse asks for a password'],
  ['497', 'The user may not insert into the table'],
  ['516', 'ClickHouse does not accept the user name and password'],
]);

/** Codes of temporary exceptions: memory, parts, time, queries under way, network. */
const RETRIED = new Set(['241', '252', '159', '202', '210']);

/** Codes for values that could not be parsed, and for fields that the table lacks. */
const BAD_DATA = new Set(['27', '117']);

/**
 * Inserts rows over ClickHouse's HTTP interface. Batches are small for ClickHouse, so the server collects them
 * (`async_insert`) and answers when they are stored. Errors are identified by the code of the exception, because
 * nearly all have the status 500. Credentials are sent in headers, because URLs appear in the server's query log.
 */
export const clickhouse = createHttpAdapter<Config>({
  limits: DEFAULT_LIMITS,
  prepare(batch, config, { encoder }) {
    const { table, database, username, password } = config;
    if (!SQL_NAME.test(table) || !SQL_NAME.test(database)) {
      return {
        kind: 'pause',
        reason: 'The name of the table or database is not valid.',
        status: null,
        bytes: 0,
      };
    }
    const rows = batch.spans.map((span) => toJson(clickhouseRow(tableRow(span, encoder))));
    return {
      url: insertUrl(batch, config),
      headers: {
        'content-type': 'application/x-ndjson',
        'x-clickhouse-user': username,
        'x-clickhouse-key': password,
      },
      body: Buffer.from(`${rows.join('\n')}\n`),
      gzip: true,
    };
  },
  classify: classifyException,
});

function insertUrl({ destinationId, id }: Batch, { host, database, table }: Config): string {
  const url = URL.parse(joinUrl(host.includes('://') ? host : `https://${host}`, '/'));
  if (url === null) return host;
  const parameters = {
    database,
    query: `INSERT INTO \`${table}\` FORMAT JSONEachRow`,
    async_insert: '1',
    wait_for_async_insert: '1',
    insert_deduplication_token: stableUuid(`${destinationId}/${id}`),
    date_time_input_format: 'best_effort',
    // A table that the owner designed may have fewer columns.
    input_format_skip_unknown_fields: '1',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Returns a row with JSON as text, which ClickHouse's columns require. */
function clickhouseRow(row: TableRow): Record<string, unknown> {
  const entries = Object.entries(row) as [TableColumn, unknown][];
  return Object.fromEntries(
    entries.map(([column, value]) =>
      TABLE_COLUMNS[column] === 'json' && value !== undefined ? [column, toJson(value)] : [column, value],
    ),
  );
}

/** Judges an exception. ClickHouse reports it in a header or at the beginning of the body, even with a status 200. */
function classifyException(answer: ToolAnswer, nowMs: number): AnswerClass | undefined {
  const code = exceptionCode(answer);
  if (code === undefined) return undefined;
  const advice = PAUSES.get(code);
  if (advice !== undefined) return { kind: 'pause', reason: `${advice} (code ${code}).` };
  if (BAD_DATA.has(code)) {
    return { kind: 'bad', reason: `ClickHouse cannot read the data (code ${code}).` };
  }
  if (RETRIED.has(code) || answer.status < 400 || answer.status >= 500) {
    const reason = `ClickHouse could not insert the rows (code ${code}).`;
    return { ...retry(answer, nowMs), reason };
  }
  return undefined;
}

function exceptionCode({ headers, body }: ToolAnswer): string | undefined {
  const named = headers['x-clickhouse-exception-code'];
  if (typeof named === 'string') return named;
  return /^Code: (\d+)\. DB::Exception/.exec(body.toString('utf8', 0, 64))?.[1];
}
