import { describe, expect, test } from '@jest/globals';
import { UnsupportedFieldsError, UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { responsesOverChat } from '../../../providers/dialects/responses/responses-over-chat.ts';
import { CONTEXT, created, HELLO, scriptedChat } from './scripted-chat.ts';

type Json = Record<string, unknown>;

describe('a responses request', () => {
  test('becomes a chat request with the same meaning', async () => {
    const { asked } = await created({
      instructions: 'Be brief.',
      max_output_tokens: 9,
      text: {
        format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true },
        verbosity: 'low',
      },
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
      ],
      tool_choice: { type: 'function', name: 'f' },
      top_logprobs: 2,
      reasoning: { effort: 'low' },
      parallel_tool_calls: false,
      stop: ['x'],
      unknown_to_us: 1,
    });
    expect(asked).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      max_tokens: 9,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object' }, strict: true },
      },
      verbosity: 'low',
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      logprobs: true,
      top_logprobs: 2,
      reasoning: { effort: 'low' },
      parallel_tool_calls: false,
      stop: ['x'],
      unknown_to_us: 1,
    });
  });

  test('leaves out fields that ask for nothing or concern hosted tools', async () => {
    const { asked } = await created({
      max_tool_calls: 3,
      store: false,
      background: false,
      previous_response_id: null,
      truncation: 'disabled',
      stream_options: { include_obfuscation: false },
      include: ['reasoning.encrypted_content'],
      max_output_tokens: null,
    });
    expect(asked).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
  });

  test('keeps parallel calls in one message before the results of their tools', async () => {
    const { asked } = await created({
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Both?' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.' }] },
        { type: 'function_call', call_id: '1', name: 'f', arguments: '{}' },
        { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
        { type: 'function_call', call_id: '2', name: 'g', arguments: '{}' },
        { type: 'function_call_output', call_id: '2', output: 'two' },
        { type: 'function_call_output', call_id: '1', output: [{ type: 'input_text', text: 'one' }] },
      ],
    });
    expect(asked['messages']).toEqual([
      { role: 'user', content: 'Both?' },
      {
        role: 'assistant',
        content: 'Let me see.',
        reasoning: 'Hm.',
        tool_calls: [
          { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: '2', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: '2', content: 'two' },
      { role: 'tool', tool_call_id: '1', content: 'one' },
    ]);
  });

  test.each<[string, Json, string]>([
    ['a tool of another kind', { tools: [{ type: 'custom', name: 'x' }] }, 'body.tools.0.type'],
    ['a choice of another kind', { tool_choice: { type: 'custom', name: 'x' } }, 'body.tool_choice.type'],
    ['a conversation to be cut', { truncation: 'auto' }, 'body.truncation'],
    ['several answers', { n: 2 }, 'body.n'],
    ['sound', { modalities: ['text', 'audio'] }, 'body.modalities.1'],
    ['an inclusion', { include: ['message.input_image.image_url'] }, 'body.include.0'],
    ['noise', { stream_options: { include_obfuscation: true } }, 'body.stream_options.include_obfuscation'],
    ['an item', { input: [{ type: 'computer_call' }] }, 'body.input.0.type'],
    ['a part', { input: [{ role: 'user', content: [{ type: 'hologram' }] }] }, 'body.input.0.content.0.type'],
    [
      'a file by its address',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a.example/b' }] }] },
      'body.input.0.content.0.file_url',
    ],
  ])("fails for %s with the field's path before anything is sent", async (_what, request, path) => {
    const { adapter, asked } = scriptedChat(HELLO);
    const work = responsesOverChat(adapter).create({ model: 'm', input: 'Hi', ...request }, CONTEXT);
    const error = await work.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnsupportedFieldsError);
    expect((error as UnsupportedFieldsError).issues.map((issue) => issue.path)).toEqual([path]);
    expect(asked).toEqual([]);
  });

  test('renames the fields that a chat endpoint refuses to its own', async () => {
    const unsupported = new UnsupportedFields();
    unsupported.add('body.messages.3.content.0.type');
    unsupported.add('body.max_tokens');
    unsupported.add('body.response_format.type');
    unsupported.add('body.tools.2.function.strict');
    unsupported.add('body.seed');
    const refused = created({}, { answer: {}, error: thrownBy(() => unsupported.throwIfAny()) });
    const error = (await refused.catch((thrown: unknown) => thrown)) as UnsupportedFieldsError;
    expect(error.issues.map(({ path }) => path)).toEqual([
      'body.input',
      'body.max_output_tokens',
      'body.text.format.type',
      'body.tools.2.strict',
      'body.seed',
    ]);
  });
});

function thrownBy(work: () => void): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
