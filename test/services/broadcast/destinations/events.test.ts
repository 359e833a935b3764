import { describe, expect, test } from '@jest/globals';
import type { BroadcastSpan } from '../../../../domain/broadcast/span.ts';
import { destinationTypes } from '../../../../services/broadcast/destinations/registry.ts';
import { closeAfterEach } from '../../../platform/outbound-setup.ts';
import { batchOf, depsWith, doorTo, NEVER, startTool } from './fake-tool.ts';
import { makeBareSpan, makeSpan } from './make-span.ts';

closeAfterEach();

describe('Datadog', () => {
  async function sent(span: BroadcastSpan): Promise<unknown> {
    const tool = await startTool(() => ({ status: 202 }));
    const config = { apiKey: 'key', mlApp: 'shop', url: tool.origin };
    await destinationTypes.datadog.send(batchOf(span), config, depsWith(doorTo(tool)), NEVER);
    const body = JSON.parse(tool.received[0]!.body.toString('utf8')) as {
      data: { attributes: { spans: unknown[] } };
    };
    return body.data.attributes.spans[0];
  }

  test('gets messages as texts, token counts, durations and tags', async () => {
    expect(await sent(makeSpan())).toMatchObject({
      parent_id: 'undefined',
      session_id: 'session-1',
      duration: 1_500_000_000,
      status: 'ok',
      meta: {
        kind: 'llm',
        input: {
          messages: [
            { role: 'system', content: 'Be short.' },
            { role: 'user', content: 'What is 6 × 7?' },
          ],
        },
        output: { messages: [{ role: 'assistant', content: '42' }] },
        metadata: { model_name: 'gpt-4o-2024-11-20', model_provider: 'openai', max_tokens: 100 },
      },
      metrics: { input_tokens: 12, output_tokens: 5, total_tokens: 17, time_to_first_token: 0.25 },
      tags: ['service:shop', 'user_id:customer-7', 'api_key_name:backend', 'env:production'],
    });
  });

  test('gets tool calls as JSON text in a message', async () => {
    const call = { role: 'assistant', content: null, tool_calls: [{ id: 'call-1' }] };
    const span = makeSpan({ content: { input: [], output: [call], outputText: null } });
    expect(await sent(span)).toMatchObject({
      meta: { output: { messages: [{ role: 'assistant', content: JSON.stringify(call) }] } },
    });
  });

  test('gets the input of embeddings as a value', async () => {
    const content = { input: [{ role: 'user', content: 'a text' }], output: [], outputText: null };
    expect(await sent(makeSpan({ operation: 'embeddings', content }))).toMatchObject({
      meta: { kind: 'embedding', input: { value: 'a text' } },
    });
  });

  test('gets the error and the parent span that the caller named', async () => {
    const error = { type: 'provider_error', message: 'The provider failed' };
    expect(await sent(makeSpan({ error, parentSpanId: 'aaaaaaaaaaaaaaaa' }))).toMatchObject({
      status: 'error',
      parent_id: 'aaaaaaaaaaaaaaaa',
      meta: { error },
    });
  });

  test('gets no field for unknown numbers or missing content', async () => {
    expect(await sent(makeBareSpan())).toMatchObject({ metrics: {}, tags: ['service:shop'] });
    expect(JSON.stringify(await sent(makeBareSpan()))).not.toMatch(/tokens|"input"|cost/);
  });

  test('accepts spans of the last 24 hours', () => {
    expect(destinationTypes.datadog.limits.maxAgeMs).toBe(86_400_000);
  });
});

describe('PostHog', () => {
  async function send(...spans: BroadcastSpan[]) {
    const tool = await startTool(() => ({ status: 200 }));
    const config = { apiKey: 'key', endpoint: tool.origin };
    const outcome = await destinationTypes.posthog.send(
      batchOf(...spans),
      config,
      depsWith(doorTo(tool)),
      NEVER,
    );
    const [request] = tool.received;
    const { batch } = JSON.parse(request?.body.toString('utf8') ?? '{"batch":[]}') as { batch: unknown[] };
    return { outcome, events: batch as Record<string, unknown>[] };
  }

  test("gets the caller's user as the person", async () => {
    const { events } = await send(makeSpan());
    expect(events[0]).toMatchObject({
      distinct_id: 'customer-7',
      properties: {
        $ai_model: 'gpt-4o-2024-11-20',
        $ai_input_tokens: 12,
        $ai_cache_read_input_tokens: 4,
        $ai_total_cost_usd: 0.000_001_5,
        $ai_latency: 1.5,
        $ai_http_status: 200,
        $ai_is_error: false,
        $ai_stream: true,
        metadata_order: 'ORD-1',
      },
    });
    expect(events[0]).not.toHaveProperty('properties.$process_person_profile');
  });

  test('gets the trace id as the person, without a profile or unknown tokens', async () => {
    const { events } = await send(makeBareSpan());
    expect(events[0]).toMatchObject({
      distinct_id: '0af7651916cd43dd8448eb211c80319c',
      properties: { $process_person_profile: false },
    });
    expect(JSON.stringify(events)).not.toMatch(/tokens|cost/);
  });

  test('gets metadata objects truncated below three levels', async () => {
    const { events } = await send(makeSpan({ metadata: { deep: { a: { b: { c: { d: 1 } } }, e: 2 } } }));
    expect(events[0]).toMatchObject({
      properties: { metadata_deep: { a: { b: { c: '[truncated]' } }, e: 2 } },
    });
  });

  test('gets the same uuid for the same generation', async () => {
    const { events } = await send(makeSpan(), makeSpan(), makeSpan({ generationId: 'gen-2' }));
    const ids = events.map((event) => event['uuid']);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('gets no request when an event exceeds its size limit', async () => {
    const content = { input: ['x'.repeat(1_000_001)], output: [], outputText: null };
    const { outcome, events } = await send(makeSpan(), makeSpan({ content }));
    expect(outcome).toMatchObject({ kind: 'too_large', status: null });
    expect(events).toEqual([]);
  });
});

describe('Ramp at its public path', () => {
  async function sent(...spans: BroadcastSpan[]) {
    const tool = await startTool(() => ({ status: 204 }));
    const config = { apiKey: 'key', baseUrl: `${tool.origin}/developer/v1/ai-usage/unified` };
    const outcome = await destinationTypes.ramp.send(
      batchOf(...spans),
      config,
      depsWith(doorTo(tool)),
      NEVER,
    );
    expect(outcome).toMatchObject({ kind: 'delivered', status: 204 });
    expect(tool.received[0]?.headers.authorization).toBe('Bearer key');
    return JSON.parse(tool.received[0]!.body.toString('utf8')) as unknown;
  }

  test('gets usage with a decimal amount and no content', async () => {
    expect(await sent(makeSpan())).toEqual({
      schema_version: '1.0',
      events: [
        {
          event_id: 'gen-1',
          source: 'sluice',
          occurred_at: '2026-11-22T16:00:00.000Z',
          provider: 'openai',
          model: 'gpt-4o-2024-11-20',
          usage: { input_tokens: 12, output_tokens: 5, cache_read_input_tokens: 4, meters: [] },
          reported_cost: { amount: '0.0000015', currency: 'USD', estimated: false },
          attribution: { session_id: 'session-1', user_id: 'customer-7' },
        },
      ],
    });
  });

  test('gets an empty list of meters when usage is unknown', async () => {
    expect(await sent(makeBareSpan())).toMatchObject({
      events: [{ usage: { meters: [] }, attribution: {} }],
    });
  });

  test.each([
    [0, '0'],
    [100, '100'],
    [1e-9, '0.000000001'],
    [12.5, '12.5'],
  ])('gets %d dollars as %s', async (total, amount) => {
    const body = await sent(makeSpan({ cost: { total, isByok: false } }));
    expect(body).toMatchObject({ events: [{ reported_cost: { amount } }] });
  });
});
