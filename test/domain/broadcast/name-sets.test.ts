import { describe, expect, test } from '@jest/globals';
import type { Attributes } from '../../../domain/broadcast/attribute.ts';
import { composeSpan } from '../../../domain/broadcast/compose-span.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import { braintrustAttributes } from '../../../domain/broadcast/name-sets/braintrust.ts';
import { langfuseAttributes } from '../../../domain/broadcast/name-sets/langfuse.ts';
import { langsmithAttributes } from '../../../domain/broadcast/name-sets/langsmith.ts';
import { openInferenceAttributes } from '../../../domain/broadcast/name-sets/openinference.ts';
import { openRouterAttributes } from '../../../domain/broadcast/name-sets/openrouter.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import { broadcastEvent, IDS, NO_FLAGS, openRules } from './broadcast-event.ts';

const FACTS: BroadcastEvent['facts'] = {
  hasContent: true,
  parameters: { temperature: 0.5, maxTokens: 20 },
  costs: { prompt: '900000', cacheRead: '100000', completion: '300000', reasoning: '200000' },
  trace: { trace_name: 'checkout', environment: 'staging', release: '1.2', tags: ['a', 'b'], team: 'red' },
};

function span(changes: Partial<BroadcastEvent> = {}, rules = openRules()): BroadcastSpan {
  return composeSpan(broadcastEvent({ facts: FACTS, ...changes }), rules, IDS);
}

/** Knows as little as a generation can. */
const bare = span(
  { usage: null, finishReason: null, sessionId: null, latencyMs: null, content: null, facts: {} },
  openRules({ flags: NO_FLAGS }),
);

const ALL: [string, (of: BroadcastSpan) => Attributes][] = [
  ['OpenRouter', openRouterAttributes],
  ['Langfuse', langfuseAttributes],
  ['LangSmith', langsmithAttributes],
  ['OpenInference', openInferenceAttributes],
  ['Braintrust', braintrustAttributes],
];

describe('a set of attribute names', () => {
  test.each(ALL)('omits unknown facts: %s', (_tool, attributesOf) => {
    const values = Object.values(attributesOf(bare));
    for (const value of values) expect(['', 0, '{}', '[]']).not.toContain(value);
    expect(values.length).toBeLessThanOrEqual(4);
  });

  test.each(ALL)(
    'holds no content in privacy mode, no cost or user without flags: %s',
    (_tool, attributesOf) => {
      const rules = openRules({ privacyMode: true, flags: NO_FLAGS });
      const text = JSON.stringify(attributesOf(span({}, rules)));
      expect(text).not.toMatch(/secret|cost|customer-7/);
    },
  );
});

test("the names for OpenRouter's dashboards are the older ones", () => {
  expect(openRouterAttributes(span())).toEqual({
    'gen_ai.system': 'openai',
    'gen_ai.usage.total_tokens': 140,
    'gen_ai.usage.prompt_tokens': 100,
    'gen_ai.usage.completion_tokens': 40,
    'gen_ai.response.finish_reason': 'stop',
  });
});

describe('the names for Langfuse', () => {
  test('hold trace, metadata, usage and cost, each token and dollar once', () => {
    const {
      usage_details: usage,
      cost_details: cost,
      ...attributes
    } = shortNames(langfuseAttributes(span()));
    expect(attributes).toEqual({
      type: 'generation',
      name: 'checkout',
      tags: ['a', 'b'],
      environment: 'staging',
      release: '1.2',
      completion_start_time: '2026-01-01T00:00:00.473Z',
      team: 'red',
    });
    expect(JSON.parse(String(usage))).toEqual({
      input: 40,
      input_cached_tokens: 60,
      output: 25,
      output_reasoning_tokens: 15,
      total: 140,
    });
    expect(JSON.parse(String(cost))).toEqual({
      input: 0.0009,
      input_cached_tokens: 0.0001,
      output: 0.0003,
      output_reasoning_tokens: 0.0002,
      total: 0.0015,
    });
  });

  test('begin with langfuse.', () => {
    for (const name of Object.keys(langfuseAttributes(span()))) expect(name).toMatch(/^langfuse\./);
  });

  test('distinguish embeddings and rerank', () => {
    const typeOf = (apiType: 'embeddings' | 'rerank'): unknown =>
      langfuseAttributes(span({ apiType }))['langfuse.observation.type'];
    expect([typeOf('embeddings'), typeOf('rerank')]).toEqual(['embedding', 'retriever']);
  });
});

function shortNames(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name.split('.').at(-1), value]),
  );
}

test('the names for LangSmith hold kind, trace, tags, metadata and older names', () => {
  expect(langsmithAttributes(span())).toEqual({
    'langsmith.span.kind': 'llm',
    'langsmith.trace.name': 'checkout',
    'langsmith.trace.session_id': 'session-1',
    'langsmith.span.tags': 'a,b',
    'langsmith.metadata.team': 'red',
    'gen_ai.system': 'openai',
    'gen_ai.usage.total_tokens': 140,
    'gen_ai.usage.details.reasoning_tokens': 15,
  });
});

describe('the names of OpenInference', () => {
  test('hold model, tokens, texts, messages, session, user and metadata', () => {
    expect(openInferenceAttributes(span())).toEqual({
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'vendor/model-1',
      'llm.provider': 'openai',
      'llm.invocation_parameters': '{"temperature":0.5,"max_tokens":20}',
      'llm.token_count.prompt': 100,
      'llm.token_count.completion': 40,
      'llm.token_count.total': 140,
      'llm.token_count.prompt_details.cache_read': 60,
      'llm.token_count.completion_details.reasoning': 15,
      'llm.cost.total': 0.0015,
      'session.id': 'session-1',
      'user.id': 'customer-7',
      metadata: '{"tags":["a","b"],"team":"red"}',
      'input.value': 'Be brief.\nThe secret question',
      'output.value': 'The secret answer',
      'llm.input_messages.0.message.role': 'system',
      'llm.input_messages.0.message.content': 'Be brief.',
      'llm.input_messages.1.message.role': 'user',
      'llm.input_messages.1.message.content': 'The secret question',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'The secret answer',
    });
  });

  test('name the model of embeddings and rerank by their kind', () => {
    expect(openInferenceAttributes(span({ apiType: 'embeddings' }))).toMatchObject({
      'openinference.span.kind': 'EMBEDDING',
      'embedding.model_name': 'vendor/model-1',
    });
    expect(openInferenceAttributes(span({ apiType: 'rerank' }))).toMatchObject({
      'openinference.span.kind': 'RERANKER',
      'reranker.model_name': 'vendor/model-1',
      'reranker.query': 'Be brief.\nThe secret question',
    });
  });
});

test('the names for Braintrust hold metadata and tags', () => {
  expect(braintrustAttributes(span())).toEqual({
    'braintrust.metadata': '{"team":"red"}',
    'braintrust.tags': ['a', 'b'],
  });
});
