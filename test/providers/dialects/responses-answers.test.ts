import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../../domain/provider-error.ts';
import { responsesOverChat } from '../../../providers/dialects/responses/responses-over-chat.ts';
import { auditEvents, type ResponseEvent } from '../../support/response-events.ts';
import { CONTEXT, created, HELLO, scriptedChat } from './scripted-chat.ts';

type Json = Record<string, unknown>;

async function streamed(chunks: object[][], error?: Error): Promise<ResponseEvent[]> {
  const { adapter } = scriptedChat({ chunks, ...(error === undefined ? {} : { error }) });
  const stream = await responsesOverChat(adapter).stream({ model: 'm', input: 'Hi' }, CONTEXT);
  const events: ResponseEvent[] = [];
  for await (const batch of stream) events.push(...(batch as ResponseEvent[]));
  return events;
}

const piece = (delta: Json, more: Json = {}): Json => ({ choices: [{ index: 0, delta, ...more }] });
const typesOf = (events: ResponseEvent[]): string[] => events.map(({ type }) => type);

describe('a response', () => {
  test('repeats the fields of its request and has every key that clients read', async () => {
    const { response } = await created({
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'f' }],
      metadata: { a: 'b' },
      temperature: 0.5,
    });
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      temperature: 0.5,
      top_p: null,
      presence_penalty: null,
      frequency_penalty: null,
      parallel_tool_calls: true,
      tool_choice: 'auto',
      tools: [{ type: 'function', name: 'f', parameters: null, strict: null }],
      store: false,
      usage: null,
    });
  });

  test('has all counted tokens in its usage', async () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2, audio_tokens: null },
      completion_tokens_details: { reasoning_tokens: 3, image_tokens: 1 },
    };
    const { response } = await created({}, { answer: { ...HELLO.answer, usage } });
    expect(response.usage).toEqual({
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 3, image_tokens: 1 },
      total_tokens: 17,
    });
  });

  test('has refusals, citations, log probabilities and images', async () => {
    const citation = { url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 };
    const message = {
      content: 'So',
      annotations: [{ type: 'url_citation', url_citation: citation }],
      refusal: 'No.',
      images: [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } }],
    };
    const logprobs = { content: [{ token: 'So', logprob: -0.1, bytes: [83, 111], top_logprobs: [] }] };
    const { response } = await created(
      { include: ['message.output_text.logprobs'] },
      { answer: { choices: [{ index: 0, message, logprobs, finish_reason: 'stop' }] } },
    );
    expect(response.output).toMatchObject([
      {
        type: 'message',
        content: [
          {
            type: 'output_text',
            text: 'So',
            annotations: [{ type: 'url_citation', ...citation }],
            logprobs: logprobs.content,
          },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
      { type: 'image_generation_call', result: 'AAAA', output_format: 'webp', status: 'completed' },
    ]);
    const { asked } = await created({ input: [{ role: 'user', content: 'Draw.' }, ...response.output] });
    expect(asked['messages']).toEqual([
      { role: 'user', content: 'Draw.' },
      { role: 'assistant', content: 'So', refusal: 'No.', images: message.images },
    ]);
  });

  test('keeps a thought together with its encrypted details', async () => {
    const message = {
      reasoning: 'Hm.',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'sealed', index: 0 }],
      content: 'So',
    };
    const { response } = await created(
      {},
      { answer: { choices: [{ index: 0, message, finish_reason: 'stop' }] } },
    );
    expect(response.output).toMatchObject([
      { type: 'reasoning', content: [{ text: 'Hm.' }], encrypted_content: 'sealed' },
      { type: 'message' },
    ]);
  });

  test('becomes a provider error when it ends in an error', async () => {
    const failed = {
      answer: { choices: [{ index: 0, message: { content: 'So' }, finish_reason: 'error' }] },
    };
    await expect(created({}, failed)).rejects.toMatchObject({ code: 'server_error', retryable: true });
  });
});

describe('a stream', () => {
  test('sends the events of a message in order', async () => {
    const events = await streamed([
      [piece({ role: 'assistant', content: '' }), piece({ content: 'He' })],
      [piece({ content: 'llo' }, { finish_reason: 'stop' })],
    ]);
    auditEvents(events);
    expect(typesOf(events)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events[2]!.item).toMatchObject({ status: 'in_progress', content: [] });
    expect(events[0]!.response!.output).toEqual([]);
  });

  test('keeps calls apart by their index when their pieces alternate', async () => {
    const call = (index: number, more: Json) => piece({ tool_calls: [{ index, ...more }] });
    const events = await streamed([
      [
        call(0, { id: 'a', function: { arguments: '{"x"' } }),
        call(1, { id: 'b', function: { name: 'g', arguments: '{' } }),
        call(0, { function: { name: 'f', arguments: ':1}' } }),
        call(1, { function: { arguments: '}' } }),
        piece({}, { finish_reason: 'tool_calls' }),
      ],
    ]);
    auditEvents(events);
    expect(events.at(-1)!.response!.output).toMatchObject([
      { type: 'function_call', call_id: 'b', name: 'g', arguments: '{}', status: 'completed' },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1}', status: 'completed' },
    ]);
  });

  test('keeps calls without an index apart by their ids', async () => {
    const call = (id: string, name: string, given: string) =>
      piece({ tool_calls: [{ id, function: { name, arguments: given } }] });
    const events = await streamed([
      [call('a', 'f', '{'), call('a', '', '}'), call('b', 'f', '{}'), piece({}, { finish_reason: 'stop' })],
    ]);
    auditEvents(events);
    expect(events.at(-1)!.response!.output).toMatchObject([
      { call_id: 'a', arguments: '{}' },
      { call_id: 'b', arguments: '{}' },
    ]);
  });

  test('joins a thought with the details that arrive under a late index', async () => {
    const events = await streamed([
      [
        piece({ reasoning: 'Hm' }),
        piece({ reasoning_details: [{ type: 'reasoning.text', signature: 's', index: 0 }] }),
        piece({ content: 'So.' }, { finish_reason: 'stop' }),
      ],
    ]);
    auditEvents(events);
    expect(events.at(-1)!.response!.output).toMatchObject([
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm' }], signature: 's' },
      { type: 'message', content: [{ text: 'So.' }] },
    ]);
  });

  test('has the first count of tokens in response.in_progress', async () => {
    const usage = { prompt_tokens: 500, completion_tokens: 1 };
    const events = await streamed([[{ ...piece({ content: 'a' }), usage }]]);
    expect(events[1]!.response!.usage).toMatchObject({ input_tokens: 500 });
  });

  test('ends as response.incomplete with max_output_tokens when it is cut off', async () => {
    const events = await streamed([[piece({ content: 'He' }, { finish_reason: 'length' })]]);
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: {
        status: 'incomplete',
        completed_at: null,
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ status: 'incomplete' }],
      },
    });
  });

  test('has an empty message when no text arrived', async () => {
    const events = await streamed([[piece({}, { finish_reason: 'stop' })]]);
    auditEvents(events);
    expect(events.at(-1)!.response!.output).toMatchObject([{ content: [{ type: 'output_text', text: '' }] }]);
  });

  test('fails with the error of the chat after the text sent so far', async () => {
    const error = new ProviderError({
      code: 'connection_lost',
      sent: true,
      retryable: true,
      publicMessage: 'Lost',
    });
    await expect(streamed([[piece({ content: 'He' })]], error)).rejects.toBe(error);
  });

  test("closes the vendor's stream when its reader stops", async () => {
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) yield [piece({ content: 'a' })];
      } finally {
        isClosed = true;
      }
    }
    const { adapter } = scriptedChat(HELLO);
    const chat = { ...adapter, stream: async () => endless() as never };
    for await (const _batch of await responsesOverChat(chat).stream({ model: 'm', input: 'Hi' }, CONTEXT))
      break;
    expect(isClosed).toBe(true);
  });
});
