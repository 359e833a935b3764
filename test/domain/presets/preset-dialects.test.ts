import { describe, expect, test } from '@jest/globals';
import { chatRequest } from '../../../contract/live/chat-request.ts';
import { presetMessagesRequest, presetResponsesRequest } from '../../../contract/presets/preset-request.ts';
import {
  chatDialect,
  configOf,
  messagesDialect,
  responsesDialect,
} from '../../../domain/presets/preset-dialects.ts';

const messages = (body: object) => configOf(messagesDialect, body);
const responses = (body: object) => configOf(responsesDialect, body);
const chat = (body: object) => configOf(chatDialect, body);

const TRANSIENT = {
  messages: [],
  input: 'x',
  prompt: 'x',
  stream: true,
  stream_options: { include_usage: true },
  metadata: { a: 'b' },
  user: 'u',
  session_id: 's',
  trace: { trace_id: 't' },
  debug: { echo_upstream_body: true },
  usage: { include: true },
};

describe.each([
  ['chat', chat],
  ['messages', messages],
  ['responses', responses],
])('a preset from a %s request', (_dialect, config) => {
  test('drops the fields that belong to one request', () => {
    expect(config({ model: 'a/b', ...TRANSIENT })).toEqual({ model: 'a/b' });
  });

  test('drops nulls', () => {
    expect(config({ model: 'a/b', temperature: null, tools: null, route: null, fallbacks: null })).toEqual({
      model: 'a/b',
    });
  });

  test("keeps the gateway's own fields", () => {
    const kept = {
      model: 'a/b',
      models: ['c/d'],
      provider: { order: ['acme'] },
      plugins: [{ id: 'web' }],
      stop_server_tools_when: [{ type: 'step_count_is', step_count: 5 }],
      cache_control: { type: 'ephemeral' },
      include_reasoning: false,
      transforms: ['middle-out'],
      service_tier: 'flex',
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
    };
    expect(config(kept)).toEqual(kept);
  });

  test('stores fallbacks as models', () => {
    const fallbacks = [{ model: 'c/d' }, { model: 'e/f' }];
    expect(config({ model: 'a/b', fallbacks })).toEqual({ model: 'a/b', models: ['c/d', 'e/f'] });
    expect(config({ model: 'a/b', fallbacks: [] })).toEqual({ model: 'a/b' });
  });

  test.each([
    [{ route: 'fallback' }, { sort: { partition: 'model' } }],
    [{ route: 'sort' }, { sort: { partition: 'none' } }],
    [
      { route: 'sort', provider: { sort: 'price', zdr: true } },
      { sort: { by: 'price', partition: 'none' }, zdr: true },
    ],
    [
      { provider: { sort: { by: 'latency' } }, route: 'fallback' },
      { sort: { by: 'latency', partition: 'model' } },
    ],
    [{ provider: { sort: { partition: 'none' } }, route: 'fallback' }, { sort: { partition: 'none' } }],
    [{ provider: { sort: null }, route: 'sort' }, { sort: { partition: 'none' } }],
  ])('stores the deprecated route of %j as a partition', (body, provider) => {
    expect(config(body)).toEqual({ provider });
  });
});

test('a preset from a chat request keeps all its fields but preset unchanged', () => {
  const kept = {
    max_completion_tokens: 5,
    stop: 'x',
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'required',
    logit_bias: { 50256: -100 },
    chat_template_kwargs: { enable_thinking: false },
  };
  expect(chat({ ...kept, preset: 'other' })).toEqual(kept);
});

test('each field of a chat request is kept or listed as transient', () => {
  const transient = new Set([...Object.keys(TRANSIENT), 'preset']);
  for (const name of Object.keys(chatRequest.shape)) {
    const isKept = Object.keys(chat({ [name]: name === 'route' ? 'sort' : {} })).length > 0;
    expect([name, isKept]).toEqual([name, !transient.has(name)]);
  }
});

describe('a preset from a messages request', () => {
  test.each<[string, object, object]>([
    ['stop sequences', { stop_sequences: ['END'] }, { stop: ['END'] }],
    ['output tokens', { max_tokens: 7 }, { max_tokens: 7 }],
    ['speed', { speed: 'fast' }, { service_tier: 'fast' }],
    ['usual speed', { speed: 'standard' }, {}],
    ['speed beside a tier', { service_tier: 'auto', speed: 'fast' }, { service_tier: 'auto' }],
    ['the standard tier', { service_tier: 'standard_only' }, { service_tier: 'default' }],
    ['effort', { output_config: { effort: 'xhigh' } }, { reasoning: { effort: 'xhigh' } }],
    ['an empty output configuration', { output_config: { effort: null } }, {}],
    ['a budget', { thinking: { type: 'enabled', budget_tokens: 9 } }, { reasoning: { max_tokens: 9 } }],
    ['no thinking', { thinking: { type: 'disabled' } }, { reasoning: { effort: 'none' } }],
    ['free thinking', { thinking: { type: 'adaptive' } }, { reasoning: { enabled: true } }],
    [
      'budget and effort',
      { thinking: { type: 'enabled', budget_tokens: 9 }, output_config: { effort: 'low' } },
      { reasoning: { effort: 'low', max_tokens: 9 } },
    ],
    [
      'free thinking with effort',
      { output_config: { effort: 'max' }, thinking: { type: 'adaptive' } },
      { reasoning: { effort: 'max' } },
    ],
    [
      'an output schema',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'response', schema: { type: 'object' }, strict: true },
        },
      },
    ],
    ['auto', { tool_choice: { type: 'auto' } }, { tool_choice: 'auto' }],
    ['any', { tool_choice: { type: 'any' } }, { tool_choice: 'required' }],
    ['none', { tool_choice: { type: 'none' } }, { tool_choice: 'none' }],
    [
      'one tool at a time',
      { tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true } },
      { tool_choice: { type: 'function', function: { name: 'f' } }, parallel_tool_calls: false },
    ],
  ])('stores %s in the form of a chat request', (_what, body, expected) => {
    expect(messages(body)).toEqual(expected);
  });

  test('stores tools as functions and keeps server tools unchanged', () => {
    const schema = { type: 'object', properties: {} };
    const server = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 };
    const tools = [
      { name: 'f', description: 'F', input_schema: schema, cache_control: { type: 'ephemeral' } },
      { type: 'custom', name: 'g', input_schema: schema, strict: true },
      server,
      { type: 'openrouter:datetime' },
    ];
    expect(messages({ tools })).toEqual({
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'F', parameters: schema },
          cache_control: { type: 'ephemeral' },
        },
        { type: 'function', function: { name: 'g', parameters: schema, strict: true } },
        server,
        { type: 'openrouter:datetime' },
      ],
    });
  });

  test('drops unknown fields and fields without a chat form', () => {
    const body = {
      context_management: { edits: [] },
      safeguards: [],
      deferred_tools: [],
      color: 'red',
      system: 'x',
    };
    expect(messages(body)).toEqual({});
  });
});

describe('a preset from a responses request', () => {
  test.each<[string, object, object]>([
    ['output tokens', { max_output_tokens: 7 }, { max_tokens: 7 }],
    [
      'reasoning',
      { reasoning: { effort: 'low', summary: 'auto' } },
      { reasoning: { effort: 'low', summary: 'auto' } },
    ],
    ['verbosity', { text: { verbosity: 'low' } }, { verbosity: 'low' }],
    [
      'a plain format',
      { text: { format: { type: 'json_object' } } },
      { response_format: { type: 'json_object' } },
    ],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: true } } },
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } } },
    ],
    ['log probabilities', { top_logprobs: 3 }, { logprobs: true, top_logprobs: 3 }],
    ['a mode', { tool_choice: 'required' }, { tool_choice: 'required' }],
    [
      'one function',
      { tool_choice: { type: 'function', name: 'f' } },
      { tool_choice: { type: 'function', function: { name: 'f' } } },
    ],
    [
      'a server tool',
      { tool_choice: { type: 'web_search_preview' } },
      { tool_choice: { type: 'web_search_preview' } },
    ],
    [
      'some tools',
      { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] } },
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
        },
      },
    ],
  ])('stores %s in the form of a chat request', (_what, body, expected) => {
    expect(responses(body)).toEqual(expected);
  });

  test('nests functions and keeps other tools unchanged', () => {
    const free = { type: 'custom', name: 'poem' };
    const nested = { type: 'function', function: { name: 'g' } };
    const tools = [
      { type: 'function', name: 'f', parameters: { type: 'object' }, strict: null },
      free,
      nested,
    ];
    expect(responses({ tools })).toEqual({
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }, free, nested],
    });
  });

  test('drops unknown fields and fields without a chat form', () => {
    const body = {
      background: true,
      include: [],
      max_tool_calls: 3,
      store: false,
      truncation: 'auto',
      color: 1,
    };
    expect(responses(body)).toEqual({});
  });
});

test.each([
  ['messages', presetMessagesRequest, messages],
  ['responses', presetResponsesRequest, responses],
] as const)(
  'each field in the contract of a %s request is kept or listed as transient',
  (_name, schema, config) => {
    const samples: Record<string, unknown> = {
      fallbacks: [{ model: 'a/b' }],
      output_config: { effort: 'low' },
      route: 'sort',
      speed: 'fast',
      text: { verbosity: 'low' },
      thinking: { type: 'adaptive' },
      tool_choice: { type: 'auto' },
      tools: [],
    };
    const elsewhere = new Set([...Object.keys(TRANSIENT), 'system', 'instructions']);
    for (const name of Object.keys(schema.shape)) {
      const isKept = Object.keys(config({ [name]: samples[name] ?? 'x' })).length > 0;
      expect([name, isKept]).toEqual([name, !elsewhere.has(name)]);
    }
  },
);
