import { describe, expect, test } from '@jest/globals';
import type { Attributes } from '../../../domain/broadcast/attribute.ts';
import { spanAttributes } from '../../../domain/broadcast/attributes.ts';
import { composeSpan } from '../../../domain/broadcast/compose-span.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import { spanEvents } from '../../../domain/broadcast/span-events.ts';
import { broadcastEvent, CONTENT, IDS, NO_FLAGS, openRules } from './broadcast-event.ts';

function attributesOf(changes: Partial<BroadcastEvent> = {}, rules = openRules()): Attributes {
  return spanAttributes(composeSpan(broadcastEvent(changes), rules, IDS));
}

describe('the attributes of a span', () => {
  test('hold only the facts of the call without flags and content', () => {
    const rules = openRules({ flags: NO_FLAGS, privacyMode: true });
    expect(attributesOf({}, rules)).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.conversation.id': 'session-1',
      'session.id': 'session-1',
      'gen_ai.request.model': 'vendor/model-1',
      'gen_ai.request.stream': true,
      'gen_ai.response.id': 'gen-1767225600123-AAAAAAAAAAAAAAAAAAAA',
      'gen_ai.response.model': 'vendor/model-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': 0.35,
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 40,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'gen_ai.usage.reasoning.output_tokens': 15,
      'sluice.generation.id': 'gen-1767225600123-AAAAAAAAAAAAAAAAAAAA',
      'sluice.attempts': 1,
    });
  });

  test('hold cost, identity and request context with all flags', () => {
    const facts = { costs: { prompt: '1000000', cacheRead: '500000' } };
    expect(attributesOf({ facts })).toMatchObject({
      'gen_ai.usage.cost': 0.0015,
      'sluice.cost.total': 0.0015,
      'sluice.cost.upstream': 0.00125,
      'sluice.cost.is_byok': false,
      'sluice.cost.prompt': 0.001,
      'sluice.cost.cache_read': 0.0005,
      'user.id': 'customer-7',
      'sluice.user.id': 'user_creator',
      'sluice.api_key.name': 'production',
      'sluice.api_key.hash': 'hash-1',
      'sluice.organization.id': 'organization-1',
      'sluice.workspace.id': 'workspace-1',
      'sluice.request.referer': 'https://app.example',
      'sluice.request.title': 'App',
      'user_agent.original': 'agent/1.0',
      'sluice.request.country': 'DE',
    });
  });

  test('hold a known cost of zero', () => {
    expect(attributesOf({ costNanos: 0n })['gen_ai.usage.cost']).toBe(0);
  });

  test('omit what is unknown or empty', () => {
    const nothing = { usage: null, latencyMs: null, finishReason: null, sessionId: null, attempts: [] };
    const attributes = attributesOf({
      ...nothing,
      externalUser: null,
      httpReferer: '',
      content: null,
      facts: {},
    });
    for (const [name, value] of Object.entries(attributes)) expect([name, value]).not.toEqual([name, '']);
    for (const name of ['session.id', 'user.id', 'gen_ai.usage.input_tokens', 'sluice.request.referer']) {
      expect(attributes).not.toHaveProperty([name]);
    }
    expect(attributes).not.toHaveProperty(['sluice.attempts']);
  });

  test('hold the number of choices only if it is not one', () => {
    const count = (choiceCount: number): unknown =>
      attributesOf({ facts: { parameters: { choiceCount } } })['gen_ai.request.choice.count'];
    expect([count(1), count(3)]).toEqual([undefined, 3]);
  });

  test("hold the caller's own keys of trace as metadata", () => {
    const trace = {
      team: 'a',
      steps: 3,
      live: true,
      tags: ['x', 'y'],
      mixed: ['x', 1],
      deep: { a: null },
      none: null,
    };
    const attributes = attributesOf({
      facts: { trace: { ...trace, trace_name: 'checkout', release: '1.2' } },
    });
    expect(attributes).toMatchObject({
      'trace.metadata.team': 'a',
      'trace.metadata.steps': 3,
      'trace.metadata.live': true,
      'trace.metadata.tags': ['x', 'y'],
      'trace.metadata.mixed': '["x",1]',
      'trace.metadata.deep': '{"a":null}',
      'sluice.trace.name': 'checkout',
      'sluice.release': '1.2',
    });
    expect(attributes).not.toHaveProperty(['trace.metadata.none']);
    expect(attributes).not.toHaveProperty(['trace.metadata.trace_name']);
  });

  test('hold numbers beyond the range of receivers as strings', () => {
    const trace = { big: 1e300, id: 2 ** 63, endless: Infinity, small: 1e-9 };
    expect(attributesOf({ facts: { trace } })).toMatchObject({
      'trace.metadata.big': '1e+300',
      'trace.metadata.id': '9223372036854776000',
      'trace.metadata.endless': 'Infinity',
      'trace.metadata.small': 1e-9,
    });
  });

  test('hold the trace keys __proto__ and constructor like any others', () => {
    const trace = JSON.parse('{"__proto__":"a","constructor":"b"}') as { [name: string]: string };
    const attributes = attributesOf({ facts: { trace } });
    expect(attributes).toMatchObject({ 'trace.metadata.__proto__': 'a', 'trace.metadata.constructor': 'b' });
  });

  test("hold the caller's trace id when the span's id is its hash", () => {
    const span = composeSpan(broadcastEvent(), openRules(), { ...IDS, traceIdText: 'order 66' });
    expect(spanAttributes(span)['sluice.trace.id']).toBe('order 66');
    expect(attributesOf()).not.toHaveProperty(['sluice.trace.id']);
  });

  test('hold the code of a failure as error.type', () => {
    const error = { code: 'rate_limited', message: 'The provider is limiting requests' };
    expect(attributesOf({ status: 'failed', facts: { error } })['error.type']).toBe('rate_limited');
  });
});

describe('the content of a span', () => {
  test('consists of JSON strings in attributes', () => {
    const attributes = attributesOf({ content: { ...CONTENT, system: 'Be kind.', isTruncated: true } });
    expect(JSON.parse(String(attributes['gen_ai.input.messages']))).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
      { role: 'user', parts: [{ type: 'text', content: 'The secret question' }] },
    ]);
    expect(JSON.parse(String(attributes['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'The secret answer' }] },
    ]);
    expect(attributes['gen_ai.system_instructions']).toBe('[{"type":"text","content":"Be kind."}]');
    expect(attributes['sluice.content_truncated']).toBe(true);
  });

  test('stays out of attributes and events in privacy mode', () => {
    const rules = openRules({ privacyMode: true });
    const error = { code: 'invalid_request', message: 'No: "The secret question"' };
    const event = broadcastEvent({ status: 'failed', facts: { hasContent: true, error } });
    const span = composeSpan(event, rules, IDS);
    expect(JSON.stringify([spanAttributes(span), spanEvents(span)])).not.toContain('secret');
  });

  test('sets sluice.content_dropped when it was lost', () => {
    expect(attributesOf({ content: null })['sluice.content_dropped']).toBe(true);
    expect(attributesOf()).not.toHaveProperty(['sluice.content_dropped']);
  });

  test('consists of query and documents for a rerank call', () => {
    const content = {
      input: [{ role: 'user', content: 'best soup' }],
      output: [{ index: 2, relevance_score: 0.75, document: { text: 'Soup' } }],
      outputText: null,
    };
    const attributes = attributesOf({ apiType: 'rerank', content });
    expect(attributes['gen_ai.retrieval.query.text']).toBe('best soup');
    expect(JSON.parse(String(attributes['gen_ai.retrieval.documents']))).toEqual([
      { document: { text: 'Soup' }, id: '2', score: 0.75 },
    ]);
    expect(attributes).not.toHaveProperty(['gen_ai.output.messages']);
  });
});

describe('the events of a span', () => {
  const attempts = [
    { provider: 'openai', status: 429, error: 'rate_limited', latencyMs: 500 },
    { provider: 'amazon-bedrock', status: null, error: 'timeout', latencyMs: 9_000 },
  ];

  test("contain each attempt at its end, and none after the span's end", () => {
    const span = composeSpan(broadcastEvent({ attempts }), openRules(), IDS);
    expect(spanEvents(span)).toEqual([
      {
        name: 'sluice.attempt',
        atMs: span.startedAtMs + 500,
        attributes: {
          'sluice.attempt.number': 1,
          'gen_ai.provider.name': 'openai',
          'http.response.status_code': 429,
          'error.type': 'rate_limited',
          'sluice.attempt.latency_ms': 500,
        },
      },
      {
        name: 'sluice.attempt',
        atMs: span.endedAtMs,
        attributes: {
          'sluice.attempt.number': 2,
          'gen_ai.provider.name': 'aws.bedrock',
          'error.type': 'timeout',
          'sluice.attempt.latency_ms': 9_000,
        },
      },
    ]);
  });

  test('end with the failure as an exception', () => {
    const error = { code: 'provider_timeout', message: 'The provider did not answer in time' };
    const span = composeSpan(broadcastEvent({ status: 'failed', facts: { error } }), openRules(), IDS);
    expect(spanEvents(span).at(-1)).toEqual({
      name: 'exception',
      atMs: span.endedAtMs,
      attributes: { 'exception.type': 'provider_timeout', 'exception.message': error.message },
    });
  });
});
