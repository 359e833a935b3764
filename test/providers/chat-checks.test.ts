import { expect, test } from '@jest/globals';
import { readChunk, readCompletion } from '../../providers/openai-compatible/chat-checks.ts';

test('null tool calls, empty finish reasons and invalid service tiers count as absent', () => {
  const delta = { content: 'x', tool_calls: null };
  const chunk = readChunk({ choices: [{ index: 0, delta, finish_reason: '' }], service_tier: 7 }, () => {});
  expect(chunk.choices).toEqual([{ index: 0, delta: { content: 'x' }, finish_reason: null }]);
  expect(chunk).not.toHaveProperty('service_tier');
});

test('a message without a role gets the role assistant', () => {
  const { choices } = readCompletion(
    { choices: [{ message: { content: 'x' }, finish_reason: 4 }] },
    () => {},
  );
  expect(choices).toEqual([
    { index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' },
  ]);
});

test('a tool call that is no object fails the chunk', () => {
  const choices = [{ delta: { tool_calls: ['look'] } }];
  expect(() => readChunk({ choices }, () => {})).toThrow('could not be understood');
});

test('the fields of vendors for reasoning become one field', () => {
  const delta = { content: null, reasoning_content: 'Hm.' };
  expect(readChunk({ choices: [{ delta }] }, () => {}).choices[0]!.delta).toStrictEqual({
    content: null,
    reasoning: 'Hm.',
  });
  const message = { role: 'assistant', content: 'x', reasoning: 'Hm.', reasoning_content: 'Hm.' };
  expect(readCompletion({ choices: [{ message }] }, () => {}).choices[0]!.message).toStrictEqual({
    role: 'assistant',
    content: 'x',
    reasoning: 'Hm.',
  });
  const silent = { content: 'x', reasoning_content: null };
  expect(readChunk({ choices: [{ delta: silent }] }, () => {}).choices[0]!.delta).toStrictEqual({
    content: 'x',
  });
});
