/** Checks that an answer has content or is an error, whole and streamed, and that what a model may say empty passes. */
import { describe, expect, test } from '@jest/globals';
import { readCompletion } from '../../providers/openai-compatible/chat-checks.ts';
import { failureOf, chunksOf } from './text-adapter-under-test.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';

const vendor = setUpVendorOfAnswers();
const REQUEST = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const chat = () => vendor.provider('openai-compatible').chat!;

async function complete(choice: object): Promise<unknown> {
  vendor.answerWith(200, 'application/json', JSON.stringify({ choices: [choice] }));
  const { choices } = await chat().complete(REQUEST, vendor.newContext());
  return choices[0];
}

async function stream(choices: object[], end = 'data: [DONE]\n\n'): Promise<unknown[]> {
  const events = choices.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  vendor.answerWith(200, 'text/event-stream', events.join('') + end);
  const chunks = await chunksOf(await chat().stream(REQUEST, vendor.newContext()));
  return chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.finish_reason));
}

const BROKEN: [what: string, message: object, reason: string | null][] = [
  ['no text and stop', {}, 'stop'],
  ['the text null and stop', { content: null }, 'stop'],
  ['the text null, no calls and stop', { content: null, tool_calls: [] }, 'stop'],
  ['empty lists and stop', { content: null, images: [], reasoning_details: [] }, 'stop'],
  ['no calls and tool_calls', { content: '' }, 'tool_calls'],
  ['null for a call and tool_calls', { content: null, tool_calls: [null] }, 'tool_calls'],
  ['an empty text and the reason null', { content: '' }, 'null'],
];

const LEGAL: [what: string, message: object, reason: string][] = [
  ['an empty text and stop', { content: '' }, 'stop'],
  ['no text and length', { content: null }, 'length'],
  ['no text and content_filter', {}, 'content_filter'],
  ['a refusal and stop', { content: null, refusal: 'No.' }, 'stop'],
  ['thoughts and stop', { content: null, reasoning: 'Hm.' }, 'stop'],
  ['a text and tool_calls', { content: 'Hello' }, 'tool_calls'],
];

describe('a chat completion of a vendor', () => {
  test.each(BROKEN)('fails as invalid_response for %s', async (_, message, reason) => {
    const error = await failureOf(complete({ message, finish_reason: reason }));
    expect(error).toMatchObject({ code: 'invalid_response' });
  });

  test.each(LEGAL)('passes with %s', async (_, message, reason) => {
    expect(await complete({ message, finish_reason: reason })).toMatchObject({ finish_reason: reason });
  });

  test('passes when one of its choices has content', () => {
    const choices = [
      { message: { content: null }, finish_reason: 'stop' },
      { message: { content: 'Hello' }, finish_reason: 'stop' },
    ];
    expect(readCompletion({ choices }, () => {}).choices).toHaveLength(2);
  });
});

describe('a chat stream of a vendor', () => {
  test.each(BROKEN)('fails as invalid_response or connection_lost for %s', async (_, delta, reason) => {
    for (const end of ['data: [DONE]\n\n', '']) {
      const choices = [{ delta }, { delta: {}, finish_reason: reason }];
      const { code } = await failureOf(stream(choices, end));
      expect(code).toBe(reason === 'null' && end === '' ? 'connection_lost' : 'invalid_response');
    }
  });

  test.each(LEGAL)('passes with %s', async (_, delta, reason) => {
    expect((await stream([{ delta }, { delta: {}, finish_reason: reason }])).at(-1)).toBe(reason);
  });

  test('fails as invalid_response when its text is in an unknown field', async () => {
    const error = await failureOf(stream([{ words: 'Hello' }, { words: '', finish_reason: 'stop' }]));
    expect(error).toMatchObject({ code: 'invalid_response' });
  });
});

describe('a tool call of a vendor', () => {
  const call = { index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };

  test.each([
    ['without a list', call],
    ['beside null', [null, call]],
  ])('reaches the caller when sent %s', async (_, calls) => {
    const message = { content: null, tool_calls: calls };
    expect(await complete({ message, finish_reason: 'tool_calls' })).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ id: 'a', function: { name: 'look' } }] },
    });
    expect(await stream([{ delta: message }, { delta: {}, finish_reason: 'stop' }])).toContain('tool_calls');
  });
});
