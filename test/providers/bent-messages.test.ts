/** Checks that answers of servers that bend Anthropic's wire are repaired, whole and streamed, or fail cleanly. */
import { expect, test } from '@jest/globals';
import type { DialectEvent } from '../../providers/dialect-adapter.ts';
import type { Repair } from '../../providers/repairs.ts';
import { answerToChat } from '../../providers/dialects/messages/answer-to-chat.ts';
import { createChunkTranslator } from '../../providers/dialects/messages/events-to-chunks.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { allOf } from './vendor-exchange.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';

type Fields = Record<string, unknown>;

const vendor = setUpVendorOfAnswers();
const REQUEST = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 };
const messages = () => vendor.provider('anthropic').messages!;
const HEAD = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' };

function newContext() {
  const repairs: Repair[] = [];
  return {
    repairs,
    context: { ...vendor.newContext(), noteRepair: (repair: Repair) => repairs.push(repair) },
  };
}

async function create(content: Fields[], reason: unknown) {
  const { repairs, context } = newContext();
  vendor.answerWith(200, 'application/json', JSON.stringify({ ...HEAD, content, stop_reason: reason }));
  return { repairs, answer: await messages().create(REQUEST, context) };
}

/** Returns the events of a stream with the same blocks, each of which starts complete, and their repairs. */
async function stream(content: Fields[], reason: unknown) {
  const { repairs, context } = newContext();
  const events = [
    { type: 'message_start', message: { ...HEAD, content: [], stop_reason: null } },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  vendor.answerWith(200, 'text/event-stream', body);
  return { repairs, events: (await allOf(messages().stream(REQUEST, context))) as DialectEvent[] };
}

const TEXT = { type: 'text', text: 'Hello' };
const call = (input: unknown): Fields => ({ type: 'tool_use', id: 'a', name: 'look', input });
const INPUT = { x: 1 };

test.each<[what: string, content: Fields[], reason: unknown, expected: string, repairs: Repair[]]>([
  ['a text that ends its turn', [TEXT], 'end_turn', 'end_turn', []],
  ['nothing that ends its turn', [], 'end_turn', 'end_turn', []],
  ['a call', [call(INPUT)], 'tool_use', 'tool_use', []],
  ['a call that ends its turn', [TEXT, call(INPUT)], 'end_turn', 'tool_use', ['finish_reason']],
  ['a call without a reason', [call(INPUT)], null, 'tool_use', ['finish_reason']],
  ['a call that a limit ended', [call(INPUT)], 'max_tokens', 'max_tokens', []],
  ['a text without a reason', [TEXT], null, 'end_turn', ['finish_reason']],
  ['a text with the reason "null"', [TEXT], 'null', 'end_turn', ['finish_reason']],
])('the stop reason fits an answer with %s', async (_, content, reason, expected, repairs) => {
  const whole = await create(content, reason);
  expect(whole.answer['stop_reason']).toBe(expected);
  expect(whole.repairs).toEqual(repairs);
  const streamed = await stream(content, reason);
  expect(streamed.events.at(-1)).toMatchObject({ type: 'message_delta', delta: { stop_reason: expected } });
  expect(streamed.repairs).toEqual(repairs);
});

test.each<[string, unknown, Fields]>([
  ['JSON text', JSON.stringify(INPUT), INPUT],
  ['an empty text', '', {}],
  ['null', null, {}],
  ['an empty list', [], {}],
])('the input of a call that is %s becomes an object', async (_, input, expected) => {
  const whole = await create([call(input)], 'tool_use');
  expect(whole.answer['content']).toEqual([call(expected)]);
  expect(whole.repairs).toEqual(['tool_calls']);
  const { events, repairs } = await stream([call(input)], 'tool_use');
  expect(events[1]).toMatchObject({ content_block: call(expected) });
  expect(repairs).toEqual(['tool_calls']);
});

test.each<[string, Fields[], unknown]>([
  ['no content and no reason', [], null],
  ['an empty text and no reason', [{ type: 'text', text: '' }], ''],
  ['no call and the reason tool_use', [], 'tool_use'],
  ['a call whose input is no object', [call('{"x":')], 'tool_use'],
])('an answer with %s fails as invalid_response', async (_, content, reason) => {
  expect(await failureOf(create(content, reason))).toMatchObject({ code: 'invalid_response' });
  expect(await failureOf(stream(content, reason))).toMatchObject({ code: 'invalid_response' });
});

test('a repaired answer is a complete chat', async () => {
  const content = [call(JSON.stringify(INPUT))];
  const { answer } = await create(content, 'end_turn');
  const called = { name: 'look', arguments: JSON.stringify(INPUT) };
  expect(answerToChat(answer).choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { tool_calls: [{ id: 'a', function: called }] },
  });
  const translator = createChunkTranslator();
  const { events } = await stream(content, null);
  const choices = events.flatMap((event) => translator.translate(event)).flatMap((chunk) => chunk.choices);
  expect(choices.find(({ delta }) => delta.tool_calls)?.delta.tool_calls).toMatchObject([
    { function: called },
  ]);
  expect(choices.at(-1)?.finish_reason).toBe('tool_calls');
});
