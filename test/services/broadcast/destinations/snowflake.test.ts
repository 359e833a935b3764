import { describe, expect, test } from '@jest/globals';
import { snowflake } from '../../../../services/broadcast/destinations/snowflake.ts';
import { SNOWFLAKE_TABLE } from '../../../support/table-definitions.ts';
import { TABLE_COLUMNS } from '../../../../services/broadcast/destinations/table-row.ts';
import { closeAfterEach } from '../../../platform/outbound-setup.ts';
import { batchOf, depsWith, doorTo, NEVER, startTool } from './fake-tool.ts';
import type { FakeTool } from './fake-tool.ts';
import { makeSpan } from './make-span.ts';

closeAfterEach();

const config = {
  account: 'org-account',
  token: 'token-1234',
  database: 'DB',
  schema: 'PUBLIC',
  table: 'TRACES',
  warehouse: 'WH',
};

function send(tool: FakeTool, over: Partial<typeof config> = {}, batch = batchOf(), timeoutMs = 10_000) {
  const deps = depsWith(doorTo(tool, 'https://org-account.snowflakecomputing.com'), { timeoutMs });
  return snowflake.send(batch, { ...config, ...over }, deps, NEVER);
}

const RUNNING = { status: 202, body: '{"code":"333334","statementHandle":"handle-1"}' };

describe('a Snowflake statement', () => {
  test('polls its handle until it ends', async () => {
    const answers = [RUNNING, RUNNING, { status: 200, body: '{"code":"090001"}' }];
    const tool = await startTool(() => answers.shift()!);
    expect(await send(tool)).toMatchObject({ kind: 'delivered', status: 200 });
    expect(tool.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v2/statements',
      'GET /api/v2/statements/handle-1',
      'GET /api/v2/statements/handle-1',
    ]);
  });

  test('sends no poll when it ends at once', async () => {
    const tool = await startTool(() => ({ status: 200, body: '{"code":"090001"}' }));
    expect(await send(tool)).toMatchObject({ kind: 'delivered' });
    expect(tool.received).toHaveLength(1);
  });

  test('leads to a retry when it does not end in time', async () => {
    const tool = await startTool(() => RUNNING);
    expect(await send(tool, {}, batchOf(), 1_000)).toMatchObject({
      kind: 'retry',
      status: 202,
      isServerError: false,
    });
  });

  test.each(['../../session', 'a/b', '', 7])('sends no poll for the handle %p', async (statementHandle) => {
    const tool = await startTool(() => ({ status: 202, body: JSON.stringify({ statementHandle }) }));
    expect(await send(tool)).toMatchObject({ kind: 'retry' });
    expect(tool.received).toHaveLength(1);
  });

  test('takes the outcome of its last poll', async () => {
    const answers = [RUNNING, { status: 422, body: '{"code":"100038"}' }];
    const tool = await startTool(() => answers.shift()!);
    const outcome = await send(tool);
    expect(outcome).toMatchObject({ kind: 'bad', status: 422 });
    expect(outcome.bytes).toBeGreaterThan(100);
  });

  test.each([
    ['002003', 'pause'],
    ['003001', 'pause'],
    ['000904', 'pause'],
    ['100038', 'bad'],
  ])('turns the error code %s into %s', async (code, kind) => {
    const tool = await startTool(() => ({ status: 422, body: JSON.stringify({ code, message: 'SQL' }) }));
    expect(await send(tool)).toMatchObject({ kind, reason: expect.stringContaining(code) });
  });
});

test.each([401, 403])('a status %d pauses with a reason that names the network policy', async (status) => {
  const tool = await startTool(() => ({ status }));
  expect(await send(tool)).toMatchObject({
    kind: 'pause',
    reason: expect.stringContaining('network policy'),
  });
});

test('a repeated batch keeps its requestId, and another batch has its own', async () => {
  const tool = await startTool(() => ({ status: 503 }));
  const batch = batchOf();
  for (const each of [batch, batch, { ...batch, id: 'batch-2' }]) await send(tool, {}, each);
  const ids = tool.received.map(({ query }) => query.get('requestId'));
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

test('a value that contains SQL is sent as a binding', async () => {
  const tool = await startTool(() => ({ status: 200 }));
  const nasty = `'); DROP TABLE "TRACES"; -- ?`;
  await send(tool, {}, batchOf(makeSpan({ sessionId: nasty, metadata: { nasty } })));
  const { statement, bindings } = JSON.parse(tool.received[0]!.body.toString('utf8')) as {
    statement: string;
    bindings: { '1': { value: string } };
  };
  expect(statement).not.toContain('DROP');
  expect(JSON.parse(bindings['1'].value)).toMatchObject([{ SESSION_ID: nasty, METADATA: { nasty } }]);
});

test.each(['database', 'schema', 'table', 'warehouse'])(
  'a %s with a quotation mark pauses the destination without a request',
  async (name) => {
    const tool = await startTool(() => ({ status: 200 }));
    expect(await send(tool, { [name]: 'A"; DROP' })).toMatchObject({ kind: 'pause' });
    expect(tool.received).toEqual([]);
  },
);

test('the definition of the table has every column that rows have', () => {
  for (const column of Object.keys(TABLE_COLUMNS)) expect(SNOWFLAKE_TABLE).toContain(`    "${column}" `);
});
