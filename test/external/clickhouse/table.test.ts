import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { clickhouse } from '../../../services/broadcast/destinations/clickhouse.ts';
import { CLICKHOUSE_TABLE } from '../../support/table-definitions.ts';
import { traceEncoder } from '../../../services/broadcast/otlp/trace-encoder.ts';
import { closeAfterEach } from '../../platform/outbound-setup.ts';
import {
  depsWith,
  doorTo,
  NEVER,
  startTool,
  type ToolRequest,
} from '../../services/broadcast/destinations/fake-tool.ts';
import { makeBareSpan, makeSpan } from '../../services/broadcast/destinations/make-span.ts';

closeAfterEach();

const SCRIPT = fileURLToPath(new URL('run-queries.py', import.meta.url));

/** Runs the queries on an engine of their own, and returns the rows of each. */
function runQueries(queries: string[]): Record<string, unknown>[][] {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-chdb-'));
  try {
    const input = JSON.stringify({ folder: path.join(folder, 'data'), queries });
    const printed = execFileSync(process.env['CHDB_TEST_PYTHON'] ?? 'python3', [SCRIPT], { input });
    const results = JSON.parse(printed.toString('utf8')) as string[];
    return results.map((text) =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The query that the server would run: its settings and its rows come with the request. */
function queryOf({ query, body }: ToolRequest): string {
  // The engine has no queue of inserts of its own; the server's is part of its HTTP interface.
  const notHere = ['query', 'database', 'async_insert', 'wait_for_async_insert'];
  const settings = [...query].filter(([name]) => !notHere.includes(name));
  const text = settings.map(([name, value]) => `${name} = '${value}'`).join(', ');
  return `${query.get('query')!.replace(' FORMAT ', ` SETTINGS ${text} FORMAT `)}\n${body.toString('utf8')}`;
}

test('ClickHouse creates our table and stores a batch once even if it is repeated', async () => {
  const tool = await startTool(() => ({ status: 200 }));
  const spans = [makeSpan(), { ...makeBareSpan(), traceId: '1'.repeat(32) }];
  const config = {
    host: tool.origin,
    database: 'default',
    username: 'writer',
    password: 'secret',
    table: 'OPENROUTER_TRACES',
  };
  const deps = depsWith(doorTo(tool), { encoder: traceEncoder });
  const batch = { spans, id: 'batch-1', destinationId: 'destination-1' };
  expect(await clickhouse.send(batch, config, deps, NEVER)).toMatchObject({ kind: 'delivered' });
  expect(await clickhouse.send(batch, config, deps, NEVER)).toMatchObject({ kind: 'delivered' });

  const inserts = tool.received.map(queryOf);
  expect(inserts).toHaveLength(2);
  const read = 'SELECT * FROM OPENROUTER_TRACES ORDER BY TRACE_ID';
  const results = runQueries([CLICKHOUSE_TABLE, ...inserts, read]);
  const [full = {}, bare = {}, ...more] = results.at(-1)!;
  expect(more).toEqual([]);
  expect(full).toMatchObject({
    TIMESTAMP: '2026-11-22 16:00:00.000',
    TRACE_ID: spans[0]!.traceId,
    SPAN_TYPE: 'GENERATION',
    USER_ID: 'customer-7',
    SESSION_ID: 'session-1',
    API_KEY_NAME: 'backend',
    MODEL: 'gpt-4o-2024-11-20',
    STATUS: 'ok',
    FINISH_REASON: 'stop',
    TOTAL_COST: 0.000_001_5,
    METADATA: '{"order":"ORD-1"}',
  });
  expect([full['PROMPT_TOKENS'], full['TOTAL_TOKENS'], full['DURATION_MS']].map(Number)).toEqual([
    12, 17, 1_500,
  ]);
  expect(JSON.parse(String(full['ATTRIBUTES']))).toMatchObject({ 'gen_ai.response.id': 'gen-1' });
  expect(JSON.parse(String(full['OUTPUT']))).toEqual([{ role: 'assistant', content: '42' }]);
  expect(bare).toMatchObject({ TRACE_ID: '1'.repeat(32), USER_ID: null, PROMPT_TOKENS: null, INPUT: null });
});
