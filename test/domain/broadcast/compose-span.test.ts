import { describe, expect, test } from '@jest/globals';
import { composeSpan } from '../../../domain/broadcast/compose-span.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { BroadcastFacts } from '../../../domain/ledger/broadcast-facts.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { ApiType } from '../../../domain/ledger/generation.ts';
import { broadcastEvent, CONTENT, IDS, NO_FLAGS, openRules } from './broadcast-event.ts';

function compose(changes: Partial<BroadcastEvent> = {}, rules = openRules()): BroadcastSpan {
  return composeSpan(broadcastEvent(changes), rules, IDS);
}

function withTrace(trace: NonNullable<BroadcastFacts['trace']>): BroadcastSpan {
  return compose({ facts: { trace } });
}

describe('a span without flags', () => {
  const span = compose({}, openRules({ flags: NO_FLAGS }));

  test('holds model, provider, tokens, timing, attempts and session, and nothing of the owner', () => {
    expect(span).toEqual({
      ...IDS,
      generationId: 'gen-1767225600123-AAAAAAAAAAAAAAAAAAAA',
      name: 'chat vendor/model-1',
      operation: 'chat',
      startedAtMs: 1_767_225_600_123,
      endedAtMs: 1_767_225_602_623,
      provider: 'openai',
      requestModel: 'vendor/model-1',
      responseModel: 'vendor/model-1',
      streamed: true,
      parameters: {},
      finishReason: 'stop',
      timeToFirstTokenMs: 350,
      usage: { input: 100, output: 40, total: 140, cacheRead: 60, reasoning: 15 },
      sessionId: 'session-1',
      metadata: {},
      attempts: [{ provider: 'openai', status: 200, latencyMs: 2_400 }],
      content: CONTENT,
      isContentDropped: false,
    });
  });
});

describe('a flag of a destination', () => {
  const withFlag = (flag: keyof typeof NO_FLAGS, changes: Partial<BroadcastEvent> = {}): BroadcastSpan =>
    compose(changes, openRules({ flags: { ...NO_FLAGS, [flag]: true } }));

  test('the flag sendsCost adds the cost in dollars and nothing else', () => {
    const { cost, costAllocation, identity, requestContext } = withFlag('sendsCost');
    expect(cost).toEqual({ total: 0.0015, upstream: 0.00125, isByok: false });
    expect([costAllocation, identity, requestContext]).toEqual([undefined, undefined, undefined]);
  });

  test('the flag sendsIdentity adds user, key, organization and workspace', () => {
    const { identity, cost } = withFlag('sendsIdentity');
    expect(identity).toEqual({
      user: 'user_creator',
      externalUser: 'customer-7',
      apiKeyName: 'production',
      apiKeyHash: 'hash-1',
      organizationId: 'organization-1',
      workspaceId: 'workspace-1',
    });
    expect(cost).toBeUndefined();
  });

  test('the flag sendsRequestContext adds referer, title, user agent and country', () => {
    expect(withFlag('sendsRequestContext').requestContext).toEqual({
      referer: 'https://app.example',
      title: 'App',
      userAgent: 'agent/1.0',
      country: 'DE',
    });
    const unknown = { httpReferer: null, appTitle: null, userAgent: null, country: null };
    expect(withFlag('sendsRequestContext', unknown).requestContext).toEqual({});
  });

  test('the flag sendsCostAllocation adds parts only if they equal the billed amount', () => {
    const allocation = (costs: BroadcastFacts['costs']): unknown =>
      withFlag('sendsCostAllocation', { facts: { costs: costs! } }).costAllocation;
    expect(allocation({ prompt: '1000000', completion: '500000' })).toEqual({
      prompt: 0.001,
      completion: 0.0005,
    });
    expect(allocation({ prompt: '1000000', completion: '500001' })).toBeUndefined();
    expect(allocation({ prompt: '1000000' })).toBeUndefined();
    expect(allocation({ prompt: '1500000.0' })).toBeUndefined();
    expect(allocation({})).toBeUndefined();
    expect(withFlag('sendsCostAllocation', { costNanos: 0n, facts: {} }).costAllocation).toBeUndefined();
  });
});

describe('privacy mode', () => {
  const failed = (code: string): Partial<BroadcastEvent> => ({
    status: 'failed',
    facts: { hasContent: true, error: { code, message: 'Refused: "The secret question"' } },
  });

  test('drops prompt and answer without marking them as lost', () => {
    const span = compose({}, openRules({ privacyMode: true }));
    expect(span.content).toBeUndefined();
    expect(span.isContentDropped).toBe(false);
    expect(compose({ content: null }, openRules({ privacyMode: true })).isContentDropped).toBe(false);
  });

  test("replaces an error's message, which may quote the prompt, by a general one", () => {
    const rules = openRules({ privacyMode: true });
    expect(compose(failed('invalid_request'), rules).error).toEqual({
      type: 'invalid_request',
      message: 'The provider refused the request',
    });
    expect(compose(failed('new_code'), rules).error).toEqual({
      type: 'new_code',
      message: 'The generation failed',
    });
    expect(JSON.stringify(compose(failed('invalid_request'), rules))).not.toContain('secret');
  });

  test("leaves the error's public message in place when it is off", () => {
    expect(compose(failed('invalid_request')).error?.message).toBe('Refused: "The secret question"');
  });
});

describe('the error of a span', () => {
  test('does not exist for a completed generation', () => {
    expect(compose().error).toBeUndefined();
  });

  test.each([
    ['failed', 'The generation failed'],
    ['cancelled', 'The generation was cancelled'],
    ['expired', 'The generation did not finish in time'],
  ] as const)('states a general message when a generation %s for no known reason', (status, message) => {
    expect(compose({ status }).error).toEqual({ type: status, message });
  });
});

describe('missing content', () => {
  test('counts as dropped only when it was announced', () => {
    expect(compose({ content: null }).isContentDropped).toBe(true);
    expect(compose({ content: null, facts: {} }).isContentDropped).toBe(false);
  });
});

describe('the operation', () => {
  test.each<[ApiType, string, string | undefined]>([
    ['completions', 'chat', undefined],
    ['embeddings', 'embeddings', undefined],
    ['rerank', 'retrieval', undefined],
    ['image', 'generate_content', 'image'],
    ['tts', 'generate_content', 'speech'],
    ['video', 'generate_content', 'video'],
  ])('maps %s to %s with output type %s', (apiType, operation, outputType) => {
    const span = compose({ apiType });
    expect([span.operation, span.outputType]).toEqual([operation, outputType]);
    expect(span.name).toBe(`${operation} vendor/model-1`);
  });
});

describe('the trace of the caller', () => {
  test('names the span by generation_name, then span_name, then operation and model', () => {
    expect(withTrace({ generation_name: 'draft', span_name: 'step' }).name).toBe('draft');
    expect(withTrace({ span_name: 'step' }).name).toBe('step');
    expect(withTrace({ generation_name: '' }).name).toBe('chat vendor/model-1');
    expect(compose({ facts: { requestModel: 'alias' } }).name).toBe('chat alias');
  });

  test('gives trace name, environment and release', () => {
    const span = withTrace({ trace_name: 'checkout', environment: 'staging', release: '1.2' });
    expect(span).toMatchObject({
      traceName: 'checkout',
      environment: 'staging',
      release: '1.2',
      metadata: {},
    });
  });

  test('keeps other keys and unusable values as metadata', () => {
    const span = withTrace({
      trace_id: 'abc',
      campaign: { name: 'spring' },
      environment: 7,
      parent_span_id: 'short',
      generation_name: 'draft',
      span_name: 'step',
    });
    expect(span.metadata).toEqual({
      campaign: { name: 'spring' },
      environment: 7,
      parent_span_id: 'short',
      span_name: 'step',
    });
  });

  test('gives a parent only for 16 hex digits that are not zero', () => {
    expect(withTrace({ parent_span_id: '00F067AA0BA902B7' }).parentSpanId).toBe('00f067aa0ba902b7');
    expect(withTrace({ parent_span_id: '0000000000000000' }).parentSpanId).toBeUndefined();
    expect(withTrace({ parent_span_id: '00f067aa0ba902b' }).parentSpanId).toBeUndefined();
    expect(withTrace({ parent_span_id: 12 }).parentSpanId).toBeUndefined();
    expect(compose().parentSpanId).toBeUndefined();
  });
});

describe('the provider name of a span', () => {
  test.each([
    ['openai', 'openai'],
    ['anthropic', 'anthropic'],
    ['cohere', 'cohere'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['azure', 'azure.ai.openai'],
    ['google-vertex', 'gcp.vertex_ai'],
    ['xai', 'x_ai'],
    ['replicate', 'replicate'],
  ])('maps %s to %s', (slug, name) => {
    const span = compose({ provider: slug, attempts: [{ provider: slug, status: null, latencyMs: 5 }] });
    expect(span.provider).toBe(name);
    expect(span.attempts).toEqual([{ provider: name, latencyMs: 5 }]);
  });
});

describe('an unknown fact of a span', () => {
  test('leaves no value in the span', () => {
    const unknown = { usage: null, latencyMs: null, finishReason: null, sessionId: null, attempts: [] };
    const span = compose({
      ...unknown,
      upstreamCostNanos: null,
      userId: null,
      externalUser: null,
      key: null,
    });
    for (const key of ['usage', 'timeToFirstTokenMs', 'finishReason', 'sessionId'] as const) {
      expect(span[key]).toBeUndefined();
    }
    expect(span.cost).toEqual({ total: 0.0015, isByok: false });
    expect(span.identity).toEqual({ organizationId: 'organization-1', workspaceId: 'workspace-1' });
  });

  test('leaves no time to first token when the answer was not streamed', () => {
    expect(compose({ streamed: false }).timeToFirstTokenMs).toBeUndefined();
  });

  test('leaves no output tokens for embeddings', () => {
    const span = compose({ apiType: 'embeddings', usage: { prompt: 12, completion: 0 } });
    expect(span.usage).toEqual({ input: 12, total: 12 });
  });
});

test('a span never ends before it starts', () => {
  const span = compose({ settledAt: new Date(0) });
  expect(span.endedAtMs).toBe(span.startedAtMs);
});
