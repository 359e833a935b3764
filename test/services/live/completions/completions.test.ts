import { expect, test } from '@jest/globals';
import {
  toChatBody,
  toCompletion,
  toCompletionChunk,
} from '../../../../services/live/completions/completions-service.ts';

test.each([['Once'], [['Once']]])('the prompt %j becomes one user message', (prompt) => {
  const body = { model: 'a/b', prompt, max_tokens: 5, suffix: '', echo: false, best_of: 1, logprobs: 0 };
  expect(toChatBody(body)).toEqual({
    model: 'a/b',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'Once' }],
  });
});

test("a completion has the text of each choice and the upstream's extra fields", () => {
  const message = {
    role: 'assistant',
    content: [
      { type: 'text', text: 'a ' },
      { type: 'text', text: 'river' },
    ],
  };
  const refused = { role: 'assistant', content: null, refusal: 'No.', reasoning: 'Hm.' };
  const answer = {
    id: 'gen-1',
    object: 'chat.completion',
    service_tier: 'default',
    choices: [
      { index: 0, message, finish_reason: 'stop', native_finish_reason: 'STOP', logprobs: { content: [] } },
      { index: 1, message: refused, finish_reason: 'content_filter' },
    ],
  };
  expect(toCompletion(answer)).toEqual({
    id: 'gen-1',
    object: 'text_completion',
    service_tier: 'default',
    choices: [
      { text: 'a river', index: 0, logprobs: null, finish_reason: 'stop', native_finish_reason: 'STOP' },
      { text: 'No.', index: 1, logprobs: null, finish_reason: 'content_filter', reasoning: 'Hm.' },
    ],
  });
});

test('a completion chunk has its text where the completion has it', () => {
  const chunk = { id: 'gen-1', choices: [{ index: 2, delta: { role: 'assistant' } }] };
  expect(toCompletionChunk(chunk)).toEqual({
    id: 'gen-1',
    choices: [{ text: '', index: 2, logprobs: null, finish_reason: null }],
  });
});
