import { describe, expect, test } from '@jest/globals';
import { clickhouse } from '../../../../services/broadcast/destinations/clickhouse.ts';
import { CLICKHOUSE_TABLE } from '../../../support/table-definitions.ts';
import { TABLE_COLUMNS } from '../../../../services/broadcast/destinations/table-row.ts';
import { closeAfterEach } from '../../../platform/outbound-setup.ts';
import { batchOf, depsWith, doorTo, NEVER, startTool } from './fake-tool.ts';
import type { FakeTool, ToolAnswer } from './fake-tool.ts';
import { makeBareSpan, makeSpan } from './make-span.ts';

closeAfterEach();

const login = { database: 'logs', username: 'writer', password: 'secret', table: 'TRACES' };

function send(tool: FakeTool, over: Partial<typeof login> = {}, batch = batchOf()) {
  const config = { ...login, ...over, host: tool.origin };
  return clickhouse.send(batch, config, depsWith(doorTo(tool)), NEVER);
}

function exception(code: number, status = 500): ToolAnswer {
  return {
    status,
    headers: { 'x-clickhouse-exception-code': code },
    body: `Code: ${code}. DB::Exception: something`,
  };
}

describe('a ClickHouse exception', () => {
  test.each([241, 252, 159, 202, 210, 999])('leads to a retry for the code %d', async (code) => {
    const tool = await startTool(() => exception(code));
    expect(await send(tool)).toMatchObject({ kind: 'retry', status: 500, isServerError: true });
  });

  test.each([16, 60, 81, 192, 193, 194, 497, 516])('pauses the destination for the code %d', async (code) => {
    const tool = await startTool(() => exception(code));
    expect(await send(tool)).toMatchObject({ kind: 'pause', status: 500 });
  });

  test.each([27, 117])('refuses the batch for the code %d', async (code) => {
    const tool = await startTool(() => exception(code));
    expect(await send(tool)).toMatchObject({ kind: 'bad', status: 500 });
  });

  test('leads to a retry for the code 241 under status 400', async () => {
    const tool = await startTool(() => exception(241, 400));
    expect(await send(tool)).toMatchObject({ kind: 'retry', status: 400 });
  });

  test('pauses the destination for the code 60 found only in the body', async () => {
    const tool = await startTool(() => ({ status: 404, body: 'Code: 60. DB::Exception: Table logs.TRACES' }));
    expect(await send(tool)).toMatchObject({ kind: 'pause', reason: 'The table does not exist (code 60).' });
  });

  test.each([252, 999])('leads to a retry for the code %d under status 200', async (code) => {
    const tool = await startTool(() => exception(code, 200));
    expect(await send(tool)).toMatchObject({ kind: 'retry', status: 200 });
  });
});

describe('an insert into ClickHouse', () => {
  test('has one row a span, JSON as text, and no fields for unknown values', async () => {
    const tool = await startTool(() => ({ status: 200 }));
    await send(tool, {}, batchOf(makeSpan(), makeBareSpan()));
    const lines = tool.received[0]!.body.toString('utf8').trimEnd().split('\n');
    const [full, bare] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(Object.keys(full!).sort()).toEqual(Object.keys(TABLE_COLUMNS).sort());
    expect(full).toMatchObject({
      TIMESTAMP: '2026-11-22T16:00:00.000Z',
      USER_ID: 'customer-7',
      API_KEY_NAME: 'backend',
      STATUS: 'ok',
      PROMPT_TOKENS: 12,
      TOTAL_COST: 0.000_001_5,
      DURATION_MS: 1_500,
      METADATA: '{"order":"ORD-1"}',
      OUTPUT: '[{"role":"assistant","content":"42"}]',
    });
    expect(bare).not.toHaveProperty('PROMPT_TOKENS');
    expect(bare).not.toHaveProperty('INPUT');
    expect(JSON.parse(String(full!['ATTRIBUTES']))).toMatchObject({ 'gen_ai.response.id': 'gen-1' });
    expect(String(full!['ATTRIBUTES'])).not.toContain('gen_ai.input.messages');
  });

  test('keeps its deduplication token only for the same batch and destination', async () => {
    const tool = await startTool(() => ({ status: 200 }));
    const batch = batchOf();
    const others = [batch, batch, { ...batch, id: 'batch-2' }, { ...batch, destinationId: 'destination-2' }];
    for (const each of others) await send(tool, {}, each);
    const tokens = tool.received.map(({ query }) => query.get('insert_deduplication_token'));
    expect(tokens[1]).toBe(tokens[0]);
    expect(new Set(tokens).size).toBe(3);
  });

  test.each(['a`b', 'a b', '', 'x; DROP TABLE y'])(
    'makes no request for the table %p and pauses the destination',
    async (table) => {
      const tool = await startTool(() => ({ status: 200 }));
      expect(await send(tool, { table })).toMatchObject({ kind: 'pause' });
      expect(tool.received).toEqual([]);
    },
  );

  test('goes over https when the host has no scheme', async () => {
    const tool = await startTool(() => ({ status: 200 }));
    const deps = depsWith(doorTo(tool, 'https://click.example:8443'));
    const config = { ...login, host: 'click.example:8443' };
    expect(await clickhouse.send(batchOf(), config, deps, NEVER)).toMatchObject({ kind: 'delivered' });
    expect(tool.received).toHaveLength(1);
  });
});

test('the definition of the table has every column that rows have', () => {
  for (const column of Object.keys(TABLE_COLUMNS)) expect(CLICKHOUSE_TABLE).toContain(`    ${column} `);
});
