import { describe, expect, test } from '@jest/globals';
import { toSpanMessages, toToolDefinitions } from '../../../domain/broadcast/content-attributes.ts';

describe('messages of a chat', () => {
  test('become parts: reasoning, text and tool calls with parsed arguments', () => {
    const message = {
      role: 'assistant',
      reasoning: 'They want rain.',
      content: 'Looking.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
        { id: 'call_2', type: 'function', function: { name: 'broken', arguments: '{"city' } },
      ],
    };
    expect(toSpanMessages([message])).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'They want rain.' },
          { type: 'text', content: 'Looking.' },
          { type: 'tool_call', id: 'call_1', name: 'weather', arguments: { city: 'Paris' } },
          { type: 'tool_call', id: 'call_2', name: 'broken', arguments: '{"city' },
        ],
      },
    ]);
  });

  test('become a tool_call_response for the result of a tool', () => {
    expect(toSpanMessages([{ role: 'tool', tool_call_id: 'call_1', content: 'rainy' }])).toEqual([
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: 'rainy' }] },
    ]);
  });

  test('keep links to images, and other parts as generic ones', () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
      { type: 'image_url', image_url: { url: '[image/png removed]' } },
      { type: 'input_audio', input_audio: { data: '[removed]', format: 'mp3' } },
    ];
    expect(toSpanMessages([{ role: 'user', name: 'Ann', content }])).toEqual([
      {
        role: 'user',
        name: 'Ann',
        parts: [
          { type: 'text', content: 'What is this?' },
          { type: 'uri', modality: 'image', uri: 'https://example.com/cat.png' },
          { type: 'generic', generic_type: 'image_url', image_url: { url: '[image/png removed]' } },
          { type: 'generic', generic_type: 'input_audio', input_audio: { data: '[removed]', format: 'mp3' } },
        ],
      },
    ]);
  });

  test('become messages of the user when they are plain strings', () => {
    expect(toSpanMessages(['hello'])).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'hello' }] },
    ]);
  });
});

test('messages of the messages dialect become the same parts', () => {
  const messages = [
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Rain?' },
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Paris' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'rainy' }] },
  ];
  expect(toSpanMessages(messages)).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'Rain?' },
        { type: 'tool_call', id: 'toolu_1', name: 'weather', arguments: { city: 'Paris' } },
      ],
    },
    { role: 'user', parts: [{ type: 'tool_call_response', id: 'toolu_1', response: 'rainy' }] },
  ]);
});

test('items of the responses dialect become messages', () => {
  const items = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Rain?' }] },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Look it up.' }] },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'rainy' },
  ];
  expect(toSpanMessages(items)).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'Rain?' }] },
    { role: 'assistant', parts: [{ type: 'reasoning', content: 'Look it up.' }] },
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'call_1', name: 'weather', arguments: {} }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: 'rainy' }] },
  ]);
});

test('tools of all dialects become definitions of functions', () => {
  const parameters = { type: 'object', properties: {} };
  const definition = { type: 'function', name: 'weather', parameters };
  const own = { type: 'web_search_20250305', name: 'web_search', max_uses: 5 };
  const tools = [
    { type: 'function', function: { name: 'weather', parameters } },
    { name: 'weather', input_schema: parameters },
    definition,
    own,
  ];
  expect(toToolDefinitions(tools)).toEqual([definition, definition, definition, own]);
});
