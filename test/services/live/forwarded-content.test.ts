import { describe, expect, test } from '@jest/globals';
import type { ApiType } from '../../../domain/ledger/generation.ts';
import { createBodyDraft } from '../../../services/live/body-draft.ts';
import { draftEvent, draftResponse } from '../../../services/live/responses/responses-draft.ts';
import { nativeEvents, nativeResponse } from '../../support/responses-upstream.ts';

const HELLO = { role: 'user', content: 'Hello' };

const promptOf = (apiType: ApiType, input: unknown, body: object = {}) => {
  const { input: asked, system, tools } = createBodyDraft(apiType, input, body).content(null);
  return { input: asked, system, tools };
};

describe('the prompt that destinations receive', () => {
  test('has system prompt and tools as separate fields where the dialect has', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const prompt = promptOf('completions', [{ role: 'system', content: 'Be kind' }, HELLO], {
      instructions: 'Be kind',
      tools,
    });
    expect(prompt).toEqual({ input: [HELLO], system: 'Be kind', tools });
    const blocks = [
      { type: 'text', text: 'Be' },
      { type: 'text', text: 'kind' },
    ];
    const conversation = [{ role: 'system', content: blocks }, HELLO];
    expect(promptOf('completions', conversation, { system: blocks })).toEqual({
      input: [HELLO],
      system: 'Be\nkind',
    });
  });

  test('keeps the system message of a chat in place', () => {
    const messages = [{ role: 'system', content: 'Be kind' }, HELLO];
    expect(promptOf('completions', messages, { messages })).toEqual({ input: messages });
  });

  test.each<[ApiType, unknown, unknown[]]>([
    ['image', 'A boat', [{ role: 'user', content: 'A boat' }]],
    ['video', 'A boat', [{ role: 'user', content: 'A boat' }]],
    ['tts', [{ text: 'One', voice: 'a' }], [{ role: 'user', content: 'One' }]],
    ['embeddings', ['a', 'b'], ['a', 'b'].map((content) => ({ role: 'user', content }))],
    ['embeddings', [1, 2], [{ role: 'user', content: '[1,2]' }]],
    ['rerank', { query: 'best?', documents: ['x'] }, [{ role: 'user', content: 'best?' }]],
    [
      'completions',
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }],
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: '[image/png removed]' } }] }],
    ],
  ])('turns the input of %s into messages: %j', (apiType, input, messages) => {
    expect(promptOf(apiType, input)).toEqual({ input: messages });
  });
});

describe('the answer that destinations receive', () => {
  const call = { id: 'c', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
  const expected = [
    { role: 'assistant', content: 'One', reasoning: 'Why', finish_reason: 'stop' },
    { role: 'assistant', content: '', tool_calls: [call], finish_reason: 'tool_calls' },
  ];

  test('has choices, reasoning, tool calls and finish reasons, whole or as a stream', () => {
    const whole = createBodyDraft('completions', [HELLO]);
    const first = { role: 'assistant', content: 'One', reasoning: 'Why' };
    whole.answer({
      choices: [
        { index: 0, finish_reason: 'end_turn', message: first },
        {
          index: 1,
          finish_reason: 'tool_use',
          message: { role: 'assistant', content: null, tool_calls: [call] },
        },
      ],
    });
    const stream = createBodyDraft('completions', [HELLO]);
    const pieces = ['{"a"', ':1}'].map((text, n) => ({
      index: 0,
      ...(n === 0 ? { id: 'c' } : {}),
      function: { arguments: text, ...(n === 0 ? { name: 'add' } : {}) },
    }));
    stream.addChunk({ choices: [{ index: 0, delta: { content: 'On', reasoning: 'Why' } }] });
    for (const piece of pieces) stream.addChunk({ choices: [{ index: 1, delta: { tool_calls: [piece] } }] });
    stream.addChunk({ choices: [{ index: 0, delta: { content: 'e' }, finish_reason: 'end_turn' }] });
    stream.addChunk({ choices: [{ index: 1, delta: {}, finish_reason: 'tool_use' }] });
    for (const draft of [whole, stream]) {
      expect(draft.content('error')).toEqual({ input: [HELLO], output: expected, outputText: 'One' });
    }
  });

  test('has the same output for a response, whole or as a stream', () => {
    const whole = createBodyDraft('completions', [HELLO]);
    draftResponse(whole, nativeResponse());
    const streamed = createBodyDraft('completions', [HELLO]);
    for (const event of nativeEvents()) draftEvent(streamed, event);
    const output = [{ role: 'assistant', content: 'Hello', reasoning: 'Hm.', finish_reason: 'length' }];
    expect(whole.content('max_output_tokens')).toMatchObject({ output, outputText: 'Hello' });
    expect(streamed.content('max_output_tokens')).toMatchObject({ output, outputText: 'Hello' });
  });

  test('contains the ranked documents of a rerank call, and nothing before an answer', () => {
    const draft = createBodyDraft('rerank', { query: 'q', documents: [] });
    expect(draft.content(null)).toMatchObject({ output: [], outputText: null });
    draft.rank([{ index: 1, document: { image: 'data:image/png;base64,AA==' }, relevance_score: 0.5 }]);
    const output = [{ index: 1, document: { image: '[image/png removed]' }, relevance_score: 0.5 }];
    expect(draft.content(null).output).toEqual(output);
  });
});
