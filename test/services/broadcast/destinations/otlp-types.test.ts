import { describe, expect, test } from '@jest/globals';
import type { DestinationConfig } from '../../../../domain/broadcast/destination-config.ts';
import { destinationTypes } from '../../../../services/broadcast/destinations/registry.ts';
import { sendToDestination } from '../../../../services/broadcast/destinations/send-to-destination.ts';
import { closeAfterEach } from '../../../platform/outbound-setup.ts';
import { batchOf, depsWith, doorTo, NEVER, startTool } from './fake-tool.ts';
import type { FakeTool } from './fake-tool.ts';
import { makeSpan } from './make-span.ts';
import { otlpVendors } from './otlp-vendors.ts';
import { decodeRequest, partialSuccess } from './small-encoder.ts';

closeAfterEach();

function send(tool: FakeTool, destination: DestinationConfig, vendorsOrigin?: string) {
  return sendToDestination(destination, batchOf(), depsWith(doorTo(tool, vendorsOrigin)), NEVER);
}

describe('the response to an OTLP export', () => {
  test.each([
    ['application/json', '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}', 3],
    ['application/json; charset=utf-8', '{"partialSuccess":{"rejectedSpans":2}}', 2],
    ['application/x-protobuf', partialSuccess(300), 300],
    ['application/json', '{"partialSuccess":{}}', 0],
    ['application/json', 'OK', 0],
    ['application/json', 'null', 0],
    ['application/json', '{"partialSuccess":{"rejectedSpans":-1}}', 0],
    ['application/x-protobuf', Buffer.from([0xff, 0xff, 0xff]), 0],
    ['text/plain', 'accepted', 0],
  ])('counts the rejected spans in %s with the body %s', async (type, body, rejected) => {
    const tool = await startTool(() => ({ status: 200, headers: { 'content-type': type }, body }));
    const { config } = otlpVendors['langfuse']!.configure(tool.origin);
    const destination = { type: 'langfuse', config } as DestinationConfig;
    expect(await send(tool, destination)).toMatchObject({ kind: 'delivered', rejected });
  });
});

describe('a collector that answers 415', () => {
  test('gets the same spans as protobuf', async () => {
    const tool = await startTool(({ headers }) => ({
      status: headers['content-type'] === 'application/x-protobuf' ? 200 : 415,
    }));
    const destination: DestinationConfig = { type: 'otel-collector', config: { endpoint: tool.origin } };
    expect(await send(tool, destination)).toMatchObject({ kind: 'delivered' });
    const { resourceSpans } = decodeRequest(tool.received[1]!.body, 'application/x-protobuf');
    expect(resourceSpans[0]!.scopeSpans[0]!.spans).toHaveLength(1);
  });

  test('refuses the batch when it answers protobuf with 415 too', async () => {
    const tool = await startTool(() => ({ status: 415 }));
    const destination: DestinationConfig = { type: 'otel-collector', config: { endpoint: tool.origin } };
    expect(await send(tool, destination)).toMatchObject({ kind: 'bad', status: 415 });
    expect(tool.received).toHaveLength(2);
  });
});

test.each([
  ['braintrust', 'gzip'],
  ['grafana', 'gzip'],
  ['langfuse', 'gzip'],
  ['newrelic', 'gzip'],
  ['otel-collector', 'gzip'],
  ['arize', undefined],
  ['langsmith', undefined],
  ['opik', undefined],
  ['ramp', undefined],
  ['sentry', undefined],
  ['weave', undefined],
  ['webhook', undefined],
])('%s gets its body with the content encoding %s', async (type, encoding) => {
  const vendor = otlpVendors[type]!;
  const tool = await startTool(vendor.answer);
  await send(tool, vendor.configure(tool.origin), vendor.fixedOrigin);
  expect(tool.received[0]?.headers['content-encoding']).toBe(encoding);
});

describe('New Relic', () => {
  test('gets the spans of region eu at otlp.eu01.nr-data.net', async () => {
    const tool = await startTool(() => ({ status: 200 }));
    const destination: DestinationConfig = { type: 'newrelic', config: { licenseKey: 'key', region: 'eu' } };
    expect(await send(tool, destination, 'https://otlp.eu01.nr-data.net')).toMatchObject({
      kind: 'delivered',
    });
    expect(tool.received[0]?.path).toBe('/v1/traces');
  });

  test('gets at most 1,000,000 bytes a batch and 4,095 characters a text', async () => {
    expect(destinationTypes.newrelic.limits.bytes).toBe(1_000_000);
    const tool = await startTool(() => ({ status: 200 }));
    const span = makeSpan({ content: { input: ['x'.repeat(10_000)], output: [], outputText: null } });
    const deps = depsWith(doorTo(tool, 'https://otlp.nr-data.net'));
    const config = { licenseKey: 'key', region: 'us' } as const;
    await destinationTypes.newrelic.send(batchOf(span), config, deps, NEVER);
    const { resourceSpans } = decodeRequest(tool.received[0]!.body, 'application/x-protobuf');
    const { attributes } = resourceSpans[0]!.scopeSpans[0]!.spans[0]!;
    expect(Math.max(...attributes.map(({ value }) => value.stringValue?.length ?? 0))).toBe(4_095);
  });
});

test('LangSmith without a workspace gets no x-tenant-id header', async () => {
  const tool = await startTool(() => ({ status: 200 }));
  const config = { apiKey: 'key', project: 'main', endpoint: tool.origin };
  await send(tool, { type: 'langsmith', config });
  expect(tool.received[0]?.headers).not.toHaveProperty('x-tenant-id');
});

test('a 403 from Grafana pauses with a reason that names traces:write', async () => {
  const tool = await startTool(() => ({ status: 403 }));
  const config = { apiKey: 'key', instanceId: '1', baseUrl: tool.origin };
  expect(await send(tool, { type: 'grafana', config })).toMatchObject({
    kind: 'pause',
    reason: 'The token lacks the scope traces:write, or belongs to another instance (403).',
  });
});
