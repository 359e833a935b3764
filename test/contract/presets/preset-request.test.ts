import { describe, expect, test } from '@jest/globals';
import { describeIssue, issuesOf } from '../../../contract/issues.ts';
import { PLUGIN_IDS } from '../../../contract/presets/preset-fields.ts';
import {
  presetChatRequest,
  presetMessagesRequest,
  presetResponsesRequest,
} from '../../../contract/presets/preset-request.ts';

const dialects = {
  chat: presetChatRequest,
  messages: presetMessagesRequest,
  responses: presetResponsesRequest,
};
type Dialect = keyof typeof dialects;

function issuesFor(dialect: Dialect, body: unknown): string[] {
  const result = dialects[dialect].safeParse(body, { error: describeIssue });
  return result.success
    ? []
    : issuesOf('body', result.error).map(({ path, message }) => `${path} ${message}`);
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
const notText = 'must be Unicode text without NUL, names included';
const tooLong = 'must have at most 256 characters';

describe.each(Object.keys(dialects) as Dialect[])("the check of a preset's %s request", (dialect) => {
  test.each<[string, object, string[]]>([
    [
      'four fallbacks',
      { fallbacks: Array(4).fill({ model: 'a/b' }) },
      ['body.fallbacks must have at most 3 items'],
    ],
    [
      'more than a model in a fallback',
      { fallbacks: [{ model: 'a/b', max_tokens: 1 }] },
      ['body.fallbacks.0 has unknown fields: max_tokens'],
    ],
    [
      'fallbacks and models',
      { fallbacks: [{ model: 'a/b' }], models: ['c/d'] },
      ['body.fallbacks cannot be combined with models'],
    ],
    [
      'an unknown plugin',
      { plugins: [{ id: 'weather' }] },
      [`body.plugins.0.id must be one of ${PLUGIN_IDS.join(', ')}`],
    ],
    ['an unknown route', { route: 'model' }, ['body.route must be one of fallback, sort']],
    ['a long session', { session_id: 's'.repeat(257) }, [`body.session_id ${tooLong}`]],
    ['a long user', { user: '\u{1f30a}'.repeat(257) }, [`body.user ${tooLong}`]],
    ['a number as a trace name', { trace: { trace_name: 5 } }, ['body.trace.trace_name must be a string']],
    [
      'an unknown stop condition',
      { stop_server_tools_when: [{ type: 'bored' }] },
      ['body.stop_server_tools_when.0.type must be one of'],
    ],
    [
      'a stop condition without its bound',
      { stop_server_tools_when: [{ type: 'step_count_is' }] },
      ['body.stop_server_tools_when.0.step_count is required'],
    ],
    [
      'no kind of caching',
      { cache_control: {} },
      ['body.cache_control.type is required and must be ephemeral'],
    ],
    [
      'an unknown time of caching',
      { cache_control: { type: 'ephemeral', ttl: '2h' } },
      ['body.cache_control.ttl must be one of 5m, 1h'],
    ],
    [
      'a number for a preference',
      { provider: { allow_fallbacks: 1 } },
      ['body.provider.allow_fallbacks must be true or false'],
    ],
    ['a preset in it', { preset: 'other' }, ['body.preset must not be in a preset']],
    ['a preset as its model', { model: '@preset/a' }, ['body.model must not name a preset']],
    ['presets as its models', { models: ['a/b', 'a/b@preset/c'] }, ['body.models.1 must not name a preset']],
    [
      'a preset as a fallback',
      { fallbacks: [{ model: '@preset/a' }] },
      ['body.fallbacks.0.model must not name a preset'],
    ],
    ['a NUL', { model: 'a\0b' }, ['body.model must be Unicode text without NUL']],
    ['half a surrogate pair deep inside', { provider: { options: { acme: { a: ['\ud800'] } } } }, [notText]],
    ['a NUL in the name of any other field', { vendor: { 'a\0': 1 } }, [`body.vendor.a\0 ${notText}`]],
    ['endless depth', { vendor: nested(40) }, ['must not be nested deeper than 32 levels']],
    ['a number as its model', { model: 5 }, ['body.model must be a string']],
    ['a warm temperature', { temperature: 2.5 }, ['body.temperature must be at most 2']],
  ])('refuses %s', (_what, body, expected) => {
    expect(issuesFor(dialect, body)).toEqual(expected.map((words) => expect.stringContaining(words)));
  });

  test('accepts nothing, nulls, and every kind of plugin and stop condition', () => {
    const conditions = [
      { type: 'step_count_is', step_count: 5 },
      { type: 'max_cost', max_cost_in_dollars: 0.5 },
      { type: 'max_tokens_used', max_tokens: 1 },
      { type: 'has_tool_call', tool_name: 'f' },
      { type: 'finish_reason_is', reason: 'length' },
    ];
    expect(PLUGIN_IDS).toHaveLength(14);
    for (const body of [
      {},
      {
        model: null,
        models: null,
        fallbacks: null,
        route: null,
        provider: null,
        session_id: null,
        user: null,
      },
      { plugins: PLUGIN_IDS.map((id) => ({ id })), stop_server_tools_when: conditions },
      {
        fallbacks: Array(3).fill({ model: 'a/b' }),
        session_id: 's'.repeat(256),
        user: '\u{1f30a}'.repeat(256),
      },
      { cache_control: { type: 'ephemeral' }, trace: { trace_id: 't', anything: 1 }, unknown: [1] },
    ]) {
      expect(issuesFor(dialect, body)).toEqual([]);
    }
  });

  test('ignores fields that a preset does not keep', () => {
    const hostile = [nested(5_000), '\ud800', 'a\0b', null, 7];
    const body = {
      stream: 'perhaps',
      stream_options: 3,
      metadata: 'x',
      debug: 1,
      prompt: hostile,
      input: hostile,
    };
    expect(issuesFor(dialect, dialect === 'chat' ? body : { ...body, messages: hostile })).toEqual([]);
  });

  test('takes no field from `__proto__`', () => {
    const body = JSON.parse('{"model":"a/b","__proto__":{"temperature":1}}') as object;
    const parsed = dialects[dialect].parse(body);
    expect(Object.keys(parsed)).toEqual(['model']);
    expect('temperature' in parsed).toBe(false);
  });
});

test.each<[Dialect, object, string]>([
  ['chat', { messages: 'hello' }, 'body.messages must be a list'],
  ['chat', { messages: [{ content: 'x' }] }, 'body.messages.0.role is required'],
  [
    'chat',
    { messages: [{ role: 'user' }, { role: 'system', content: '\0' }] },
    `body.messages.1.content ${notText}`,
  ],
  ['chat', { tools: [{ type: 'function', function: {} }] }, 'body.tools.0.function.name is required'],
  ['chat', { reasoning: { effort: 'huge' } }, 'body.reasoning.effort must be one of max, xhigh'],
  ['chat', { reasoning_effort: 'huge' }, 'body.reasoning_effort must be one of max, xhigh'],
  ['messages', { max_tokens: 0 }, 'body.max_tokens must be at least 1'],
  ['messages', { speed: 'slow' }, 'body.speed must be one of fast, standard'],
  [
    'messages',
    { output_config: { effort: 'none' } },
    'body.output_config.effort must be one of low, medium, high',
  ],
  [
    'messages',
    { output_config: { format: { type: 'text', schema: {} } } },
    'body.output_config.format.type must be json_schema',
  ],
  ['messages', { thinking: { type: 'enabled' } }, 'body.thinking.budget_tokens is required'],
  ['messages', { system: [{ type: 'image' }] }, 'body.system must be text or a list of text blocks'],
  ['messages', { tools: [{ input_schema: {} }] }, 'body.tools.0.name is required'],
  ['messages', { tools: [{ name: 'f' }] }, 'body.tools.0.input_schema must be an object'],
  ['messages', { tool_choice: { type: 'tool' } }, 'body.tool_choice.name is required'],
  ['messages', { tool_choice: 'auto' }, 'body.tool_choice must be an object'],
  ['responses', { instructions: 5 }, 'body.instructions must be a string'],
  ['responses', { max_output_tokens: 1.5 }, 'body.max_output_tokens must be a whole number'],
  ['responses', { tools: [{ type: 'function' }] }, 'body.tools.0.name is required'],
  ['responses', { text: { format: {} } }, 'body.text.format.type is required'],
  ['responses', { tool_choice: 'any' }, 'body.tool_choice must be one of none, auto, required'],
])("a preset's %s request with %j is refused", (dialect, body, words) => {
  expect(issuesFor(dialect, body)).toEqual([expect.stringContaining(words)]);
});
