import { describe, expect, test } from '@jest/globals';
import { DESTINATION_TYPES } from '../../../../domain/broadcast/destination.ts';
import type { DestinationConfig } from '../../../../domain/broadcast/destination-config.ts';
import { maskUrl } from '../../../../domain/broadcast/masked-url.ts';
import type {
  SendDeps,
  SendOutcome,
} from '../../../../services/broadcast/destinations/destination-adapter.ts';
import {
  sendToDestination,
  testDestination,
} from '../../../../services/broadcast/destinations/send-to-destination.ts';
import { eventually } from '../../../support/eventually.ts';
import { closeAfterEach, guardWith } from '../../../platform/outbound-setup.ts';
import { batchOf, depsWith, doorTo, NEVER, startTool } from './fake-tool.ts';
import type { FakeTool, Respond } from './fake-tool.ts';
import { makeBareSpan, makeSpan } from './make-span.ts';
import { otherVendors } from './other-vendors.ts';
import { otlpVendors } from './otlp-vendors.ts';
import type { Vendor } from './vendor.ts';

const vendors: Record<string, Vendor> = { ...otlpVendors, ...otherVendors };

closeAfterEach();

test('every destination type has a fake vendor', () => {
  expect(Object.keys(vendors).sort()).toEqual([...DESTINATION_TYPES].sort());
});

interface Scene {
  tool: FakeTool;
  destination: DestinationConfig;
  send(
    options?: { headers?: Record<string, string>; signal?: AbortSignal } & Partial<SendDeps>,
    ...spans: ReturnType<typeof makeSpan>[]
  ): Promise<SendOutcome>;
}

/** The vendor, or a server in its place that answers otherwise. */
async function against(vendor: Vendor, respond?: Respond): Promise<Scene> {
  const tool = await startTool(respond ?? vendor.answer);
  const destination = vendor.configure(tool.origin);
  return {
    tool,
    destination,
    send({ headers, signal = NEVER, ...deps } = {}, ...spans) {
      const config = { ...destination.config, ...(headers === undefined ? {} : { headers }) };
      return sendToDestination(
        { ...destination, config } as DestinationConfig,
        batchOf(...spans),
        depsWith(doorTo(tool, vendor.fixedOrigin), deps),
        signal,
      );
    },
  };
}

test.each([
  'arize',
  'braintrust',
  'clickhouse',
  'datadog',
  'grafana',
  'langfuse',
  'langsmith',
  'posthog',
  'ramp',
  'sentry',
  'weave',
] as const)('the documented path of %s stays unmasked', async (type) => {
  const { send, tool } = await against(vendors[type]!);
  await send({}, makeSpan());
  const [path = ''] = tool.received[0]!.path.split('?');
  expect(maskUrl(type, `https://tool.example${path}`)).toBe(`https://tool.example${path}`);
});

describe.each([...DESTINATION_TYPES])('%s', (type) => {
  const vendor = vendors[type]!;

  test('accepts a batch in the documented form', async () => {
    const { send, tool } = await against(vendor);
    const outcome = await send({}, makeSpan(), makeBareSpan());
    expect(outcome).toMatchObject({ kind: 'delivered', rejected: 0 });
    expect(outcome.bytes).toBeGreaterThan(100);
    expect(tool.received.length).toBeGreaterThan(0);
  });

  test('passes the connection test', async () => {
    const tool = await startTool((request) => {
      if (type !== 's3' && type !== 'webhook') return vendor.answer(request);
      return { status: 200 };
    });
    const deps = depsWith(doorTo(tool, vendor.fixedOrigin));
    const answer = await testDestination(vendor.configure(tool.origin), deps, NEVER);
    expect(answer).toMatchObject({ passed: true });
    expect(tool.received.length).toBeGreaterThan(0);
  });

  test.each([
    ['7', 7_000],
    ['86400', 3_600_000],
  ])('gets the batch again after 503 and Retry-After %s, at most an hour', async (header, retryAfterMs) => {
    const { send } = await against(vendor, () => ({ status: 503, headers: { 'retry-after': header } }));
    expect(await send()).toMatchObject({ kind: 'retry', status: 503, isServerError: true, retryAfterMs });
  });

  test.each([429, 408])('gets the batch again after status %d', async (status) => {
    const { send } = await against(vendor, () => ({ status }));
    expect(await send()).toMatchObject({ kind: 'retry', status, isServerError: false });
  });

  test.each([401, 402, 403, 404, 405, 407, 410])('pauses after status %d with a reason', async (status) => {
    const { send } = await against(vendor, () => ({ status }));
    const outcome = await send();
    expect(outcome).toMatchObject({ kind: 'pause', status });
    expect(outcome).toMatchObject({
      reason: expect.stringMatching(new RegExp(`^[A-Z].+ \\(${status}\\)\\.$`)),
    });
  });

  test.each([301, 307])('pauses after redirect %d without following it', async (status) => {
    const { send, tool } = await against(vendor, () => ({ status, headers: { location: '/elsewhere' } }));
    expect(await send()).toMatchObject({ kind: 'pause', status });
    expect(tool.received).toHaveLength(1);
  });

  test('gets smaller batches after 413', async () => {
    const { send } = await against(vendor, () => ({ status: 413 }));
    expect(await send()).toMatchObject({ kind: 'too_large', status: 413 });
  });

  test('gets no request for a batch above its size limit', async () => {
    const { send, tool } = await against(vendor);
    const content = { input: ['x'.repeat(4_000)], output: [], outputText: null };
    const outcome = await send({}, ...Array.from({ length: 1_200 }, () => makeSpan({ content })));
    expect(outcome).toMatchObject({ kind: 'too_large', status: null });
    expect(outcome.bytes).toBeGreaterThan(4_194_304);
    expect(tool.received).toEqual([]);
  });

  test.each([400, 422])('refuses only the batch after status %d', async (status) => {
    const { send } = await against(vendor, () => ({ status, body: 'no such field' }));
    expect(await send()).toMatchObject({ kind: 'bad', status, excerpt: 'no such field' });
  });

  test('gets the batch again after a lost connection', async () => {
    const { send } = await against(vendor, () => 'reset');
    expect(await send()).toMatchObject({ kind: 'retry', status: null, isServerError: false });
  });

  test('gets the batch again after a timeout', async () => {
    const { send } = await against(vendor, () => 'silence');
    expect(await send({ timeoutMs: 100 })).toMatchObject({
      kind: 'retry',
      status: null,
      reason: 'The tool did not answer in time.',
    });
  });

  test('ends a send at once when the caller aborts', async () => {
    const { send, tool } = await against(vendor, () => 'silence');
    const stopping = new AbortController();
    const sent = send({ signal: stopping.signal });
    await eventually('the request', async () => (tool.received.length > 0 ? true : undefined));
    stopping.abort(new Error('the worker stops'));
    await expect(sent).rejects.toThrow('the worker stops');
  });

  test('pauses when the outbound guard refuses its address', async () => {
    const { send, tool } = await against(vendor);
    const guard = guardWith({ allow: [], resolve: async () => ['10.0.0.1'] });
    expect(await send({ guard })).toMatchObject({
      kind: 'pause',
      status: null,
      reason: expect.stringMatching(/^The URL .+\.$/),
    });
    expect(tool.received).toEqual([]);
  });

  test('keeps the first 1 KiB of a long error body', async () => {
    const { send } = await against(vendor, () => ({ status: 500, body: 'é'.repeat(50_000) }));
    const { excerpt = '' } = await send();
    expect(excerpt).toBe('é'.repeat(512));
  });

  test('hides every secret that the vendor echoes in its response', async () => {
    const { send } = await against(vendor, ({ headers, query, body }) => ({
      status: 401,
      body: `${JSON.stringify(headers)} ${query.toString()} ${body.toString('utf8').slice(0, 500)} ${vendor.secrets.join(' ')}`,
    }));
    const outcome = await send({ headers: { 'x-team': 'Bearer owners-own-secret' } });
    expect(outcome.excerpt).toContain('[secret]');
    const words = JSON.stringify(outcome);
    for (const secret of [...vendor.secrets, 'owners-own-secret']) expect(words).not.toContain(secret);
  });

  test("gets the owner's headers, but none that replaces its authentication", async () => {
    const { send, tool } = await against(vendor);
    const stolen = Object.fromEntries(vendor.authHeaders.map((name) => [name.toUpperCase(), 'stolen']));
    const outcome = await send({ headers: { 'X-Team': 'shop', 'Content-Type': 'text/plain', ...stolen } });
    expect(outcome).toMatchObject({ kind: 'delivered' });
    expect(tool.received[0]?.headers['x-team']).toBe('shop');
  });

  test('pauses without a request when a header has an invalid value', async () => {
    const { send, tool } = await against(vendor);
    expect(await send({ headers: { 'x-team': 'a\nb' } })).toMatchObject({ kind: 'pause', status: null });
    expect(tool.received).toEqual([]);
  });
});
