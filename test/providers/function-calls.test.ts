/** Checks that calls in their older form, `function_call`, reach callers who use tools as tool calls. */
import { expect, test } from '@jest/globals';
import type { ChatChunk, ChatCompletion } from '../../providers/chat-adapter.ts';
import { chunksOf } from './text-adapter-under-test.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';

const vendor = setUpVendorOfAnswers();
const REQUEST = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const chat = () => vendor.provider('openai-compatible').chat!;
const CALL = { name: 'look', arguments: '{"x":1}' };

function complete(message: object, more: object = {}): Promise<ChatCompletion> {
  const choices = [{ index: 0, message, finish_reason: 'function_call' }];
  vendor.answerWith(200, 'application/json', JSON.stringify({ choices }));
  return chat().complete({ ...REQUEST, ...more }, vendor.newContext());
}

async function stream(deltas: object[], more: object = {}): Promise<ChatChunk['choices']> {
  const choices = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: 'function_call' }];
  const events = [...choices.map((choice) => JSON.stringify({ choices: [choice] })), '[DONE]'];
  vendor.answerWith(200, 'text/event-stream', events.map((data) => `data: ${data}\n\n`).join(''));
  const chunks = await chunksOf(await chat().stream({ ...REQUEST, ...more }, vendor.newContext()));
  return chunks.flatMap((chunk) => chunk.choices);
}

const PIECES = [
  { function_call: { name: 'look', arguments: '' } },
  { function_call: { arguments: '{"x"' } },
  { function_call: { name: null, arguments: ':1}' }, tool_calls: [] },
];

test('a function call becomes a tool call', async () => {
  const { choices } = await complete({ content: null, function_call: CALL });
  expect(choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { tool_calls: [{ id: expect.stringMatching(/^call_/), type: 'function', function: CALL }] },
  });
  expect(choices[0]!.message).not.toHaveProperty('function_call');
});

test('pieces of a function call become pieces of one tool call', async () => {
  const choices = await stream(PIECES);
  const pieces = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
  expect(pieces).toMatchObject([
    { index: 0, id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'look' } },
    { index: 0, function: { arguments: '{"x"' } },
    { index: 0, function: { arguments: ':1}' } },
  ]);
  expect(choices.at(-1)?.finish_reason).toBe('tool_calls');
});

test('a call in both forms becomes one tool call', async () => {
  const calls = [{ id: 'a', type: 'function', function: CALL }];
  const { choices } = await complete({ content: null, tool_calls: calls, function_call: CALL });
  expect(choices[0]!.message.tool_calls).toEqual(calls);
});

test('a caller who sends functions gets function calls', async () => {
  const more = { functions: [{ name: 'look', parameters: {} }] };
  const { choices } = await complete({ content: null, function_call: CALL }, more);
  expect(choices[0]).toMatchObject({ finish_reason: 'function_call', message: { function_call: CALL } });
  const streamed = await stream(PIECES, more);
  expect(streamed.map(({ delta }) => delta['function_call'])).toMatchObject([
    ...PIECES.map((piece) => piece.function_call),
    undefined,
  ]);
  expect(streamed.at(-1)?.finish_reason).toBe('function_call');
});
