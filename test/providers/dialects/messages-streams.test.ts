import { describe, expect, test } from '@jest/globals';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';
import { createChunkTranslator } from '../../../providers/dialects/messages/events-to-chunks.ts';
import { messagesOverChat } from '../../../providers/dialects/messages/messages-over-chat.ts';
import { expectOrder } from './message-order.ts';
import { CONTEXT, scriptedChat } from './scripted-chat.ts';

type Json = Record<string, unknown>;

const REQUEST = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };

const piece = (delta: Json, reason: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason: reason }],
});
const call = (
  index: number | undefined,
  facts: { id?: string; name?: string; arguments?: string },
): object => {
  const { id, ...called } = facts;
  return piece({
    tool_calls: [{ ...(index === undefined ? {} : { index }), ...(id ? { id } : {}), function: called }],
  });
};
const STOP = piece({}, 'tool_calls');

async function streamed(...chunks: object[]): Promise<DialectEvent[]> {
  const { adapter } = scriptedChat({ chunks: chunks.map((chunk) => [chunk]) });
  const events: DialectEvent[] = [];
  for await (const batch of await messagesOverChat(adapter).stream(REQUEST, CONTEXT)) events.push(...batch);
  expectOrder(events);
  return events;
}

/** The blocks as a client puts them together. */
function blocksIn(events: DialectEvent[]): Json[] {
  const blocks: Json[] = [];
  for (const { type, index, content_block: block, delta } of events) {
    if (type === 'content_block_start') blocks[index as number] = { ...(block as Json) };
    if (type !== 'content_block_delta') continue;
    const { type: _, ...said } = delta as Json;
    for (const [name, text] of Object.entries(said)) {
      const held = blocks[index as number]!;
      held[name] = `${(held[name] as string | undefined) ?? ''}${text as string}`;
    }
  }
  return blocks;
}

describe('tool calls of a chat, streamed as blocks', () => {
  test('follow each other as whole blocks even if their pieces alternate', async () => {
    const events = await streamed(
      call(0, { id: 'a', name: 'f' }),
      call(1, { id: 'b', name: 'g' }),
      call(0, { arguments: '{"x":"}' }),
      call(1, { arguments: '{"y"' }),
      call(0, { arguments: '\\"{"}' }),
      call(1, { arguments: ':[2]}' }),
      STOP,
    );
    expect(blocksIn(events)).toMatchObject([
      { type: 'tool_use', id: 'a', name: 'f', partial_json: '{"x":"}\\"{"}' },
      { type: 'tool_use', id: 'b', name: 'g', partial_json: '{"y":[2]}' },
    ]);
  });

  test('leave at once when the call before them is whole', async () => {
    const { adapter } = scriptedChat({
      chunks: [
        [call(0, { id: 'a', name: 'f', arguments: '{}' })],
        [call(1, { id: 'b', name: 'g', arguments: '{' })],
        [call(1, { arguments: '}' }), STOP],
      ],
    });
    const counts: number[] = [];
    for await (const batch of await messagesOverChat(adapter).stream(REQUEST, CONTEXT))
      counts.push(batch.filter(({ type }) => type === 'content_block_delta').length);
    expect(counts.slice(0, 3)).toEqual([1, 1, 1]);
  });

  test('form one block each even if the id or name arrives late', async () => {
    const events = await streamed(
      call(0, { arguments: '{"x"' }),
      call(0, { id: 'a', name: 'f', arguments: ':1' }),
      call(0, { id: 'a', arguments: '}' }),
      STOP,
    );
    expect(blocksIn(events)).toMatchObject([{ id: 'a', name: 'f', partial_json: '{"x":1}' }]);
  });

  test('stay apart by id without an index, and get an id when they have none', async () => {
    const events = await streamed(
      call(undefined, { id: 'a', name: 'f', arguments: '{' }),
      call(undefined, { id: 'a', arguments: '}' }),
      call(undefined, { id: 'b', name: 'g', arguments: '{}' }),
      STOP,
    );
    expect(blocksIn(events)).toMatchObject([{ id: 'a', partial_json: '{}' }, { id: 'b' }]);
    const nameless = await streamed(call(0, { name: 'f', arguments: '{}' }), STOP);
    expect(blocksIn(nameless)).toMatchObject([{ id: expect.stringMatching(/^toolu_\w+$/) }]);
  });

  test('end when text follows them', async () => {
    const events = await streamed(
      call(0, { id: 'a', name: 'f' }),
      call(1, { id: 'b', name: 'g' }),
      piece({ content: 'So.' }),
      STOP,
    );
    expect(blocksIn(events).map(({ type }) => type)).toEqual(['tool_use', 'tool_use', 'text']);
  });
});

describe('an answer of a chat as a message', () => {
  test("begins with every key that the vendor's own client reads", async () => {
    const [start] = await streamed(piece({ content: 'So.' }, 'stop'));
    expect(start!['message']).toEqual({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      model: undefined,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 0,
        cache_creation: null,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        inference_geo: null,
        output_tokens: 0,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: null,
        speed: null,
      },
    });
  });

  test('shows reasoning that arrives only in reasoning_details', async () => {
    const detail = (more: Json) =>
      piece({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }] });
    const events = await streamed(
      detail({ text: 'Hm' }),
      detail({ text: '.' }),
      detail({ signature: 's' }),
      piece({ content: 'So.' }, 'stop'),
    );
    expect(blocksIn(events)).toMatchObject([
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'So.' },
    ]);
  });

  test('becomes a provider error when it ends in an error, streamed or not', async () => {
    const failure = { code: 'server_error', retryable: true };
    await expect(streamed(piece({ content: 'So' }), piece({}, 'error'))).rejects.toMatchObject(failure);
    const answer = { choices: [{ index: 0, message: { content: 'So' }, finish_reason: 'error' }] };
    const work = messagesOverChat(scriptedChat({ answer }).adapter).create(REQUEST, CONTEXT);
    await expect(work).rejects.toMatchObject(failure);
  });
});

describe('a message as an answer of a chat', () => {
  test('keeps a thought that arrives with the start of its block', () => {
    const { translate } = createChunkTranslator();
    const block = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    const deltas = translate({ type: 'content_block_start', index: 0, content_block: block }).map(
      ({ choices }) => choices[0]!.delta,
    );
    expect(deltas).toMatchObject([
      { reasoning: 'Hm.', reasoning_details: [{ text: 'Hm.' }] },
      { reasoning_details: [{ signature: 's' }] },
    ]);
  });
});
