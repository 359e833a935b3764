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

describe('an object', () => {
  test('that exists already is a success: the batch is a repeated one', async () => {
    const tool = await startTool(() => codes(412, 'PreconditionFailed'));
    expect(await send(tool)).toMatchObject({ kind: 'delivered', status: 412 });
  });

  test('that is being written is tried again', async () => {
    const tool = await startTool(() => codes(409, 'ConditionalRequestConflict'));
    expect(await send(tool)).toMatchObject({ kind: 'retry', status: 409 });
  });

  test('is written without a condition where the service knows none', async () => {
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
  ])('that is refused with %s leads to %s', async (code, kind) => {
    const tool = await startTool(() => codes(400, code));
    expect(await send(tool)).toMatchObject({ kind, status: 400 });
  });

  test('is asked for only once when the service is busy', async () => {
    const tool = await startTool(() => codes(503, 'SlowDown'));
    expect(await send(tool)).toMatchObject({ kind: 'retry', isServerError: true });
    expect(tool.received).toHaveLength(1);
  });
});

describe('the key of an object', () => {
  async function keysOf(over: Options, batch = batchOf()): Promise<string[]> {
    const tool = await startTool(() => ({ status: 200 }));
    expect(await send(tool, over, batch)).toMatchObject({ kind: 'delivered' });
    return tool.received.map(({ path }) => decodeURIComponent(path.replace(/^\/traces\//, '')));
  }

  test('has the day and the beginning of the first span', async () => {
    const [key] = await keysOf({ pathTemplate: '{prefix}/{year}/{month}/{day}' });
    expect(key).toMatch(/^sluice\/2026\/11\/22\/20261122T160000000Z-[0-9a-f-]{36}\.jsonl$/);
  });

  test('has no empty, single-dot or double-dot segment', async () => {
    const [key] = await keysOf({ prefix: '/../a/./b//', pathTemplate: '/{prefix}/../c' });
    expect(key).toMatch(/^a\/b\/c\/2026/);
  });

  test('has the name of the API key as one segment, whatever the name is', async () => {
    const span = makeSpan({
      identity: { apiKeyName: '../a b/ü\ud800', organizationId: 'o', workspaceId: 'w' },
    });
    const [key] = await keysOf({ pathTemplate: '{prefix}/{apiKeyName}' }, batchOf(span));
    expect(key).toMatch(/^sluice\/\.\.%2Fa%20b%2F%C3%BC%EF%BF%BD\/2026/);
  });

  test('leaves out the name of the API key where it is not known', async () => {
    const [key] = await keysOf({ pathTemplate: '{prefix}/{apiKeyName}/x' }, batchOf(makeBareSpan()));
    expect(key).toMatch(/^sluice\/x\/2026/);
  });

  test('is the same when the batch is repeated, and another for another destination', async () => {
    const batch = batchOf();
    const [first] = await keysOf({}, batch);
    const [again] = await keysOf({}, batch);
    const [other] = await keysOf({}, { ...batch, destinationId: 'destination-2' });
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  test('divides a batch by folders', async () => {
    const nextDay = makeSpan({ startedAtMs: START_MS + 86_400_000, endedAtMs: START_MS + 86_400_001 });
    const keys = await keysOf({}, batchOf(makeSpan(), nextDay, makeSpan()));
    expect(keys.map((key) => key.split('/')[1])).toEqual(['2026-11-22', '2026-11-23']);
  });
});

test('a batch of two folders stops at the first that fails', async () => {
  const tool = await startTool(() => ({ status: 503 }));
  const nextDay = makeSpan({ startedAtMs: START_MS + 86_400_000, endedAtMs: START_MS + 86_400_001 });
  expect(await send(tool, {}, batchOf(makeSpan(), nextDay))).toMatchObject({ kind: 'retry' });
  expect(tool.received).toHaveLength(1);
});

test('a line is a trace with its observation', async () => {
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

describe('without an endpoint', () => {
  afterEach(() => {
    delete process.env['AWS_ENDPOINT_URL_S3'];
  });

  test.each([
    [undefined, 'https://traces.s3.us-east-1.amazonaws.com'],
    ['eu-central-1', 'https://traces.s3.eu-central-1.amazonaws.com'],
    ['cn-north-1', 'https://traces.s3.cn-north-1.amazonaws.com.cn'],
  ])('the region %s is a host of AWS, whatever the process is set to', async (region, origin) => {
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

test('the connection test writes a small object of its own', async () => {
  const tool = await startTool(() => ({ status: 200 }));
  const config = { ...login, endpoint: tool.origin };
  expect(await s3.test?.(config, depsWith(doorTo(tool)), NEVER)).toMatchObject({ kind: 'delivered' });
  expect(tool.received[0]).toMatchObject({
    method: 'PUT',
    path: '/traces/sluice/.sluice-connection-test.json',
  });
});

test('a bucket that the SDK refuses pauses the destination', async () => {
  const tool = await startTool(() => ({ status: 200 }));
  expect(await send(tool, { bucketName: '' })).toMatchObject({ kind: 'pause', status: null });
  expect(tool.received).toEqual([]);
});
