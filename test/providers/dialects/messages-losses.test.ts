import { describe, expect, test } from '@jest/globals';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import { UnsupportedFieldsError } from '../../../domain/unsupported-fields.ts';
import { toChatRequest } from '../../../providers/dialects/messages/messages-over-chat.ts';
import { toMessagesRequest } from '../../../providers/dialects/messages/chat-over-messages.ts';

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'x' }] };

/** The fields that a translation refuses. */
function lost(translate: (request: TextRequest) => unknown, more: object): string[] {
  try {
    translate({ ...CHAT, ...more } as TextRequest);
    return [];
  } catch (error) {
    if (error instanceof UnsupportedFieldsError) return error.issues.map(({ path }) => path);
    throw error;
  }
}

const message = (more: object) => ({ messages: [{ role: 'user', content: 'x', ...more }] });
const assistant = (more: object) => ({ messages: [{ role: 'assistant', content: 'x', ...more }] });

describe('a chat request with fields that Anthropic lacks', () => {
  test.each<[object, string]>([
    [{ seed: 7 }, 'body.seed'],
    [{ n: 2 }, 'body.n'],
    [{ logprobs: true }, 'body.logprobs'],
    [{ logit_bias: { 5: 1 } }, 'body.logit_bias'],
    [{ frequency_penalty: 0.5 }, 'body.frequency_penalty'],
    [{ metadata: { a: 'b' } }, 'body.metadata'],
    [{ modalities: ['text', 'audio'] }, 'body.modalities'],
    [{ temperature: 1.5 }, 'body.temperature'],
    [{ reasoning: { effort: 'low', summary: 'detailed' } }, 'body.reasoning.summary'],
    [{ response_format: { type: 'json_object' } }, 'body.response_format.type'],
    [{ speed: 'fast' }, 'body.speed'],
    [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'body.tools.0.type'],
    [
      { tools: [{ type: 'function', function: { name: 'x' } }], tool_choice: { type: 'allowed_tools' } },
      'body.tool_choice',
    ],
    [message({ name: 'Ann' }), 'body.messages.0.name'],
    [message({ content: [{ type: 'input_audio', input_audio: {} }] }), 'body.messages.0.content.0.type'],
    [
      message({
        content: [{ type: 'image_url', image_url: { url: 'https://a.example/x', detail: 'high' } }],
      }),
      'body.messages.0.content.0.image_url.detail',
    ],
    [
      message({ content: [{ type: 'file', file: { file_id: 'f' } }] }),
      'body.messages.0.content.0.file.file_id',
    ],
    [
      message({ content: [{ type: 'image_url', image_url: { url: 'data:image/svg+xml,%zz' } }] }),
      'body.messages.0.content.0.image_url.url',
    ],
    [
      message({ content: [{ type: 'file', file: { file_data: 'data:nonsense' } }] }),
      'body.messages.0.content.0.file.file_data',
    ],
    [assistant({ reasoning: 'Hm.' }), 'body.messages.0.reasoning'],
    [
      assistant({
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', format: 'openai-responses-v1' }],
      }),
      'body.messages.0.reasoning_details.0',
    ],
    [assistant({ audio: { id: 'a' } }), 'body.messages.0.audio'],
  ])("fails with the field's path: %j", (more, path) => {
    expect(lost(toMessagesRequest, more)).toContain(path);
  });

  test.each<[object]>([
    [{ n: 1, logprobs: false, frequency_penalty: 0, seed: null, logit_bias: {}, store: false }],
    [{ modalities: ['text'], response_format: { type: 'text' }, service_tier: 'auto' }],
    [assistant({ refusal: null, annotations: [] })],
    [{ reasoning: { effort: 'low', summary: 'auto' } }],
    [message({ content: [{ type: 'file', file: { file_data: 'JVBERi0=', file_id: null } }] })],
    [assistant({ reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 's' }] })],
  ])('loses nothing by %j, which changes nothing', (more) => {
    expect(lost(toMessagesRequest, more)).toEqual([]);
  });

  test('names all lost fields in one error', () => {
    expect(lost(toMessagesRequest, { seed: 7, n: 2 })).toEqual(['body.seed', 'body.n']);
  });
});

describe('a messages request with fields that a chat lacks', () => {
  const block = (content: object) => ({ messages: [{ role: 'user', content: [content] }] });
  test.each<[object, string]>([
    [{ container: 'c' }, 'body.container'],
    [{ mcp_servers: [{ type: 'url' }] }, 'body.mcp_servers'],
    [{ context_management: { edits: [{}] } }, 'body.context_management.edits.0.type'],
    [{ thinking: { type: 'between_tools' } }, 'body.thinking.type'],
    [{ output_config: { task_budget: { total: 5 } } }, 'body.output_config.task_budget'],
    [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'body.tools.0.type'],
    [message({ name: 'Ann' }), 'body.messages.0.name'],
    [block({ type: 'text', text: 'x', of_tomorrow: true }), 'body.messages.0.content.0.of_tomorrow'],
    [
      block({ type: 'tool_result', tool_use_id: 't', toolset_name: 'x' }),
      'body.messages.0.content.0.toolset_name',
    ],
    [
      assistant({
        content: [
          { type: 'tool_use', id: 't', name: 'x', input: {}, caller: { type: 'code_execution_20260521' } },
        ],
      }),
      'body.messages.0.content.0.caller',
    ],
    [block({ type: 'search_result' }), 'body.messages.0.content.0.type'],
    [
      block({ type: 'image', source: { type: 'file', file_id: 'f' } }),
      'body.messages.0.content.0.source.type',
    ],
    [
      block({ type: 'document', source: { type: 'text', data: 'x' }, citations: { enabled: true } }),
      'body.messages.0.content.0.citations',
    ],
  ])("fails with the field's path: %j", (more, path) => {
    expect(lost(toChatRequest, more)).toContain(path);
  });

  test('drops defer_loading of a tool', () => {
    const tool = { name: 'x', input_schema: {}, defer_loading: true };
    expect(lost(toChatRequest, { tools: [tool] })).toEqual([]);
  });

  test('turns a tool_reference into a sentence', () => {
    const found = [{ type: 'tool_reference', tool_name: 'fetch_page' }];
    const result = { type: 'tool_result', tool_use_id: 't', content: found };
    expect(toChatRequest({ ...CHAT, ...block(result) } as TextRequest)['messages']).toEqual([
      {
        role: 'tool',
        tool_call_id: 't',
        content: [{ type: 'text', text: 'The tool fetch_page can be called now.' }],
      },
    ]);
  });

  test('marks the result of a failed tool with "Error:"', () => {
    const result = { type: 'tool_result', tool_use_id: 't', content: 'No such city.', is_error: true };
    expect(toChatRequest({ ...CHAT, ...block(result) } as TextRequest)['messages']).toEqual([
      { role: 'tool', tool_call_id: 't', content: 'Error: No such city.' },
    ]);
  });
});
