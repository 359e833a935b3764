import { afterEach, describe, expect, test } from '@jest/globals';
import { s3 } from '../../../../services/broadcast/destinations/s3.ts';
import { closeAfterEach } from '../../../platform/outbound-setup.ts';
import { batchOf, depsWith, doorTo, NEVER, startTool } from './fake-tool.ts';
import type { FakeTool } from './fake-tool.ts';
import { makeBareSpan, makeSpan, START_MS } from './make-span.ts';

closeAfterEach();

const login = {
  bucketName: 'traces',
  accessKeyId: 'AKIAEXAMPLE',
  secretAccessKey: 'secret',
  prefix: 'sluice',
  pathTemplate: '{prefix}/{date}',
};

type Options = Partial<typeof login> & { headers?: Record<string, string> };

function send(tool: FakeTool, over: Options = {}, batch = batchOf()) {
  const config = { ...login, endpoint: tool.origin, ...over };
  return s3.send(batch, config, depsWith(doorTo(tool)), NEVER);
}

function codes(status: number, code: string) {
  return { status, body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>` };
}

describe('an upload to S3', () => {
  test('succeeds when the object exists already (412)', async () => {
    const tool = await startTool(() => codes(412, 'PreconditionFailed'));
    expect(await send(tool)).toMatchObject({ kind: 'delivered', status: 412 });
  });

  test('leads to a retry when the object is being written (409)', async () => {
    const tool = await startTool(() => codes(409, 'ConditionalRequestConflict'));
    expect(await send(tool)).toMatchObject({ kind: 'retry', status: 409 });
  });

  test('drops the condition when the service answers 501', async () => {
    const tool = await startTool(({ headers }) =>
      headers['if-none-match'] === undefined ? { status: 200 } : codes(501, 'NotImplemented'),
    );
    expect(await send(tool)).toMatchObject({ kind: 'delivered', status: 200 });
    expect(tool.received).toHaveLength(2);
  });

  test.each([
    ['ExpiredToken', 'pause'],
    ['AuthorizationHeaderMalformed', 'pause'],
    ['RequestTimeout', 'retry'],
    ['EntityTooLarge', 'too_large'],
    ['InvalidRequest', 'bad'],
  ])('turns the error code %s into %s', async (code, kind) => {
    const tool = await startTool(() => codes(400, code));
    expect(await send(tool)).toMatchObject({ kind, status: 400 });
  });

  test('makes a single request when the service is busy (503)', async () => {
    const tool = await startTool(() => codes(503, 'SlowDown'));
    expect(await send(tool)).toMatchObject({ kind: 'retry', isServerError: true });
    expect(tool.received).toHaveLength(1);
  });
});

describe('the key of an S3 object', () => {
  async function keysOf(over: Options, batch = batchOf()): Promise<string[]> {
    const tool = await startTool(() => ({ status: 200 }));
    expect(await send(tool, over, batch)).toMatchObject({ kind: 'delivered' });
    return tool.received.map(({ path }) => decodeURIComponent(path.replace(/^\/traces\//, '')));
  }

  test('contains the day and the start of the first span', async () => {
    const [key] = await keysOf({ pathTemplate: '{prefix}/{year}/{month}/{day}' });
    expect(key).toMatch(/^sluice\/2026\/11\/22\/20261122T160000000Z-[0-9a-f-]{36}\.jsonl$/);
  });

  test('has no empty, single-dot or double-dot segment', async () => {
    const [key] = await keysOf({ prefix: '/../a/./b//', pathTemplate: '/{prefix}/../c' });
    expect(key).toMatch(/^a\/b\/c\/2026/);
  });

  test('contains any API key name as one encoded segment', async () => {
    const span = makeSpan({
      identity: { apiKeyName: '../a b/ü\ud800', organizationId: 'o', workspaceId: 'w' },
    });
    const [key] = await keysOf({ pathTemplate: '{prefix}/{apiKeyName}' }, batchOf(span));
    expect(key).toMatch(/^sluice\/\.\.%2Fa%20b%2F%C3%BC%EF%BF%BD\/2026/);
  });

  test('leaves out the API key name where it is unknown', async () => {
    const [key] = await keysOf({ pathTemplate: '{prefix}/{apiKeyName}/x' }, batchOf(makeBareSpan()));
    expect(key).toMatch(/^sluice\/x\/2026/);
  });

  test('stays the same for a repeated batch, and differs by destination', async () => {
    const batch = batchOf();
    const [first] = await keysOf({}, batch);
    const [again] = await keysOf({}, batch);
    const [other] = await keysOf({}, { ...batch, destinationId: 'destination-2' });
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  test('divides a batch into one object for each day', async () => {
    const nextDay = makeSpan({ startedAtMs: START_MS + 86_400_000, endedAtMs: START_MS + 86_400_001 });
    const keys = await keysOf({}, batchOf(makeSpan(), nextDay, makeSpan()));
    expect(keys.map((key) => key.split('/')[1])).toEqual(['2026-11-22', '2026-11-23']);
  });
});

test('a batch of two folders stops at the first failed upload', async () => {
  const tool = await startTool(() => ({ status: 503 }));
  const nextDay = makeSpan({ startedAtMs: START_MS + 86_400_000, endedAtMs: START_MS + 86_400_001 });
  expect(await send(tool, {}, batchOf(makeSpan(), nextDay))).toMatchObject({ kind: 'retry' });
  expect(tool.received).toHaveLength(1);
});

test('a line of an object holds a trace with its observation', async () => {
  const tool = await startTool(() => ({ status: 200 }));
  await send(tool);
  expect(JSON.parse(tool.received[0]!.body.toString('utf8'))).toMatchObject({
    trace: {
      id: '0af7651916cd43dd8448eb211c80319c',
      name: 'support',
      userId: 'customer-7',
      sessionId: 'session-1',
      observations: [{ name: 'answer a question', generationId: 'gen-1', usage: { total: 17 } }],
    },
    exported_at: '2026-11-22T16:01:00.000Z',
  });
});

describe('S3 without an endpoint', () => {
  afterEach(() => {
    delete process.env['AWS_ENDPOINT_URL_S3'];
  });

  test.each([
    [undefined, 'https://traces.s3.us-east-1.amazonaws.com'],
    ['eu-central-1', 'https://traces.s3.eu-central-1.amazonaws.com'],
    ['cn-north-1', 'https://traces.s3.cn-north-1.amazonaws.com.cn'],
  ])('sends the region %s to a host of AWS despite AWS_ENDPOINT_URL_S3', async (region, origin) => {
    process.env['AWS_ENDPOINT_URL_S3'] = 'https://operators-own.example';
    const tool = await startTool(() => ({ status: 200 }));
    const config = { ...login, ...(region === undefined ? {} : { region }) };
    const deps = depsWith(doorTo(tool, origin));
    expect(await s3.send(batchOf(), config, deps, NEVER)).toMatchObject({ kind: 'delivered' });
    expect(tool.received[0]?.path).toMatch(/^\/sluice\/2026-11-22\//);
  });
});

test("the owner's headers are signed", async () => {
  const tool = await startTool(() => ({ status: 200 }));
  await send(tool, { headers: { 'X-Amz-Server-Side-Encryption': 'AES256' } });
  const { headers } = tool.received[0]!;
  expect(headers['x-amz-server-side-encryption']).toBe('AES256');
  expect(headers.authorization).toMatch(/SignedHeaders=[^,]*x-amz-server-side-encryption/);
});

test('the connection test writes .sluice-connection-test.json under the prefix', async () => {
  const tool = await startTool(() => ({ status: 200 }));
  const config = { ...login, endpoint: tool.origin };
  expect(await s3.test?.(config, depsWith(doorTo(tool)), NEVER)).toMatchObject({ kind: 'delivered' });
  expect(tool.received[0]).toMatchObject({
    method: 'PUT',
    path: '/traces/sluice/.sluice-connection-test.json',
  });
});

test('an empty bucket name pauses the destination without a request', async () => {
  const tool = await startTool(() => ({ status: 200 }));
  expect(await send(tool, { bucketName: '' })).toMatchObject({ kind: 'pause', status: null });
  expect(tool.received).toEqual([]);
});
