import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Attributes, AttributeValue } from '../../../domain/broadcast/attribute.ts';
import { spanEvents } from '../../../domain/broadcast/span-events.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { SendOutcome } from '../../../services/broadcast/destinations/destination-adapter.ts';
import { testDestination } from '../../../services/broadcast/destinations/send-to-destination.ts';
import { otlpTypes } from '../../../services/broadcast/destinations/otlp-types.ts';
import { traceEncoder } from '../../../services/broadcast/otlp/trace-encoder.ts';
import { closeAfterEach, guardWith, serve } from '../../platform/outbound-setup.ts';
import { makeBareSpan, makeSpan, START_MS } from '../../services/broadcast/destinations/make-span.ts';
import { depsWith, NEVER } from '../../services/broadcast/destinations/fake-tool.ts';
import { printedRequest } from './debug-output.ts';

closeAfterEach();

const collector = process.env['OTELCOL_TEST_ENDPOINT'] ?? '';

function deps() {
  return depsWith(guardWith(), { encoder: traceEncoder });
}

function send(spans: BroadcastSpan[], endpoint = collector): Promise<SendOutcome> {
  const batch = { spans, id: 'batch-1', destinationId: 'destination-1' };
  return otlpTypes['otel-collector'].send(batch, { endpoint }, deps(), NEVER);
}

/** One span with all there is, one that failed, one with as little as possible; the trace is theirs alone. */
function makeSpans(): { traceId: string; spans: BroadcastSpan[] } {
  const traceId = randomBytes(16).toString('hex');
  const withId = (span: BroadcastSpan): BroadcastSpan => {
    return { ...span, traceId, spanId: randomBytes(8).toString('hex') };
  };
  const failure = { type: 'provider_error', message: 'The provider had an error' };
  const attempts = [
    { provider: 'openai', status: 503, error: 'provider_error', latencyMs: 400 },
    { provider: 'azure', error: 'provider_timeout', latencyMs: 900 },
  ];
  const full = makeSpan({
    parentSpanId: '00f067aa0ba902b7',
    name: 'Antwort – 回答 😀',
    streamed: true,
    requestContext: { referer: 'https://app.example', title: 'Shop', country: 'DE' },
    costAllocation: { prompt: 0.000_001, completion: 0.000_000_5 },
    metadata: { order: 'ORD-1', nested: { deep: [1, 'two', null] }, big: 2 ** 60 },
  });
  return { traceId, spans: [full, makeSpan({ error: failure, attempts }), makeBareSpan()].map(withId) };
}

/** A value as the debug exporter prints it. */
function printed(value: AttributeValue): string {
  if (typeof value === 'string') return `Str(${value})`;
  if (typeof value === 'boolean') return `Bool(${value})`;
  if (typeof value === 'number') return `${Number.isInteger(value) ? 'Int' : 'Double'}(${value})`;
  return `Slice(${JSON.stringify(value)})`;
}

function printedAll(attributes: Attributes): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, printed(value)]));
}

function printedTime(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.?0*Z$/, ' +0000 UTC');
}

function expectedSpan(span: BroadcastSpan) {
  return {
    fields: expect.objectContaining({
      'Trace ID': span.traceId,
      'Parent ID': span.parentSpanId ?? '',
      ID: span.spanId,
      Name: span.name,
      Kind: 'Client',
      'Start time': printedTime(span.startedAtMs),
      'End time': printedTime(span.endedAtMs),
      'Status code': span.error === undefined ? 'Unset' : 'Error',
      'Status message': span.error?.message ?? '',
    }),
    attributes: printedAll(traceEncoder.attributesOf(span, ['openrouter'])),
    events: spanEvents(span).map(({ name, attributes }) => ({ name, attributes: printedAll(attributes) })),
  };
}

/** Stands before the Collector and takes protobuf only. */
async function startFrontWithoutJson(): Promise<string> {
  const front = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
    if (type === 'application/json') return void response.writeHead(415).end();
    const headers = { 'content-type': type, 'content-encoding': encoding };
    const answer = await fetch(collector, { method: 'POST', headers, body });
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
  return `${front.origin}/v1/traces`;
}

describe('a real OpenTelemetry Collector', () => {
  test.each([
    ['JSON', () => collector],
    ['protobuf, after a 415 to JSON', startFrontWithoutJson],
  ])('receives every span with all attributes, events and statuses as %s', async (_, endpoint) => {
    const { traceId, spans } = makeSpans();
    const verdict = await send(spans, await endpoint());
    expect(verdict).toMatchObject({ kind: 'delivered', rejected: 0, status: 200 });
    const { resource, spans: received } = await printedRequest(traceId);
    expect(resource).toEqual({ 'service.name': 'Str(sluice)' });
    expect(received).toEqual(spans.map(expectedSpan));
  });

  test('receives a batch of 500 spans whole', async () => {
    const { traceId } = makeSpans();
    const spans = Array.from({ length: 500 }, (_, n) =>
      makeSpan({ traceId, spanId: (n + 1).toString(16).padStart(16, '0'), startedAtMs: START_MS - n }),
    );
    expect(await send(spans)).toMatchObject({ kind: 'delivered', rejected: 0 });
    const { spans: received } = await printedRequest(traceId);
    expect(received.map(({ fields }) => fields['ID'])).toEqual(spans.map(({ spanId }) => spanId));
  });

  test('passes the connection test, and fails it with a wrong path', async () => {
    const tested = (endpoint: string) =>
      testDestination({ type: 'otel-collector', config: { endpoint } }, deps(), NEVER);
    expect(await tested(collector)).toMatchObject({ passed: true, status: 200 });
    expect(await tested(`${collector}/wrong`)).toMatchObject({ passed: false, status: 404 });
  });
});
