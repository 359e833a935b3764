/** Checks that answers of vendors that bend OpenAI's wire reach callers in the contract's shape, in every dialect. */
import { describe, expect, test } from '@jest/globals';
import {
  type BentAnswer,
  type BentVendor,
  called,
  calling,
  piece,
  useBentVendor,
  whole,
} from '../support/bent-vendor.ts';
import { askIn, DIALECTS, type DialectName, type SeenAnswer } from '../support/dialect-answers.ts';
import type { Gateway } from '../support/gateway.ts';

const MODEL = 'bent/chat';

let gateway: Gateway;
let vendor: BentVendor;

useBentVendor(MODEL, (...opened) => ([gateway, vendor] = opened));

const BOTH = {
  tool_calls: [called(undefined, 'a', 'look', '{"x":1}'), called(undefined, 'b', 'look', '{"y":2}')],
};

const TWO = [
  { id: 'a', name: 'look', arguments: '{"x":1}' },
  { id: 'b', name: 'look', arguments: '{"y":2}' },
];
const ONE = [{ id: 'a', name: 'look', arguments: '{"x":1}' }];
const FINISH: Record<DialectName, Record<'tools' | 'stop', string>> = {
  chat: { tools: 'tool_calls', stop: 'stop' },
  messages: { tools: 'tool_use', stop: 'end_turn' },
  responses: { tools: 'completed', stop: 'completed' },
};

type Expected = Partial<Pick<SeenAnswer, 'text' | 'thoughts' | 'calls'>> & { end?: 'tools' | 'stop' };

const CASES: [string, BentAnswer, Expected][] = [
  [
    'calls that share an index',
    {
      choice: whole(BOTH),
      events: [
        calling(called(0, 'a', 'look', '{"x":1}')),
        calling(called(0, 'b', 'look', '{"y":2}')),
        piece({}, 'tool_calls'),
      ],
    },
    { calls: TWO },
  ],
  [
    'calls without an index in one event',
    {
      choice: whole(BOTH),
      events: [
        calling(called(undefined, 'a', 'look', '{"x":1}'), called(undefined, 'b', 'look', '{"y":2}')),
        piece({}, 'tool_calls'),
      ],
    },
    { calls: TWO },
  ],
  [
    'calls without an index, in pieces',
    {
      choice: whole(BOTH),
      events: [
        calling(called(undefined, 'a', 'look', '')),
        calling(called(undefined, undefined, undefined, '{"x":1}')),
        calling(called(undefined, 'b', 'look', '{"y"')),
        calling(called(undefined, undefined, undefined, ':2}')),
        piece({}, 'tool_calls'),
      ],
    },
    { calls: TWO },
  ],
  [
    'calls whose id and name come with every piece',
    {
      choice: whole(BOTH),
      events: [
        calling(called(0, 'a', 'look', '{"x"')),
        calling(called(0, 'a', 'look', ':1}')),
        calling(called(1, 'b', 'look', '{"y":2}')),
        piece({}, 'tool_calls'),
      ],
    },
    { calls: TWO },
  ],
  [
    'calls whose pieces alternate',
    {
      choice: whole(BOTH),
      events: [
        calling(called(0, 'a', 'look', '')),
        calling(called(1, 'b', 'look', '')),
        calling(called(0, undefined, undefined, '{"x":1}')),
        calling(called(1, undefined, undefined, '{"y":2}')),
        piece({}, 'tool_calls'),
      ],
    },
    { calls: TWO },
  ],
  [
    'an index that counts from one, as text',
    {
      choice: whole(BOTH),
      events: [
        calling({ ...called(undefined, 'a', 'look', '{"x":1}'), index: '1' }),
        calling({ ...called(undefined, 'b', 'look', '{"y":2}'), index: '2' }),
        piece({}, 'tool_calls'),
      ],
    },
    { calls: TWO },
  ],
  [
    'arguments as an object',
    {
      choice: whole({ tool_calls: [called(0, 'a', 'look', { x: 1 })] }),
      events: [calling(called(0, 'a', 'look', { x: 1 })), piece({}, 'tool_calls')],
    },
    { calls: ONE },
  ],
  [
    'empty arguments',
    {
      choice: whole({ tool_calls: [called(0, 'a', 'look', '')] }),
      events: [calling(called(0, 'a', 'look', '')), piece({}, 'tool_calls')],
    },
    { calls: [{ id: 'a', name: 'look', arguments: '{}' }] },
  ],
  [
    'no arguments',
    {
      choice: whole({ tool_calls: [called(0, 'a', 'look', null)] }),
      events: [calling(called(0, 'a', 'look', undefined)), piece({}, 'tool_calls')],
    },
    { calls: [{ id: 'a', name: 'look', arguments: '{}' }] },
  ],
  [
    'calls that end with stop',
    {
      choice: whole({ tool_calls: [called(0, 'a', 'look', '{"x":1}')] }, 'stop'),
      events: [calling(called(0, 'a', 'look', '{"x":1}')), piece({}, 'stop')],
    },
    { calls: ONE },
  ],
  [
    'calls that never end with a reason',
    {
      choice: whole({ tool_calls: [called(0, 'a', 'look', '{"x":1}')] }, null),
      events: [calling(called(0, 'a', 'look', '{"x":1}'))],
    },
    { calls: ONE },
  ],
  [
    'a text that never ends with a reason',
    {
      choice: whole({ content: 'Hello' }, null),
      events: [piece({ content: 'Hel' }), piece({ content: 'lo' })],
    },
    { text: 'Hello', end: 'stop' },
  ],
  [
    'a message in place of a delta, and the other way round',
    {
      choice: { index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
      events: [
        { choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: null }] },
        { choices: [{ index: 0, message: {}, finish_reason: 'stop' }] },
      ],
    },
    { text: 'Hello', end: 'stop' },
  ],
  [
    'a text in place of a message or a delta',
    {
      choice: { index: 0, text: 'Hello', logprobs: null, finish_reason: 'stop' },
      events: [
        { choices: [{ index: 0, text: 'Hel', finish_reason: null }] },
        { choices: [{ index: 0, text: 'lo', finish_reason: null }] },
        { choices: [{ index: 0, text: '', finish_reason: 'stop' }] },
      ],
    },
    { text: 'Hello', end: 'stop' },
  ],
  [
    'a text beside an empty message or delta',
    {
      choice: {
        index: 0,
        message: { role: 'assistant', content: null },
        text: 'Hello',
        finish_reason: 'stop',
      },
      events: [
        { choices: [{ index: 0, delta: { role: 'assistant' }, text: 'Hel' }] },
        { choices: [{ index: 0, delta: null, text: 'lo', finish_reason: 'stop' }] },
      ],
    },
    { text: 'Hello', end: 'stop' },
  ],
  [
    'content as a list of parts, with thoughts',
    {
      choice: whole(
        {
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
            { type: 'text', text: 'Hello' },
          ],
        },
        'stop',
      ),
      events: [
        piece({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
        piece({ content: [{ type: 'text', text: 'Hel' }] }),
        piece({ content: [{ type: 'text', text: 'lo' }] }, 'stop'),
      ],
    },
    { text: 'Hello', thoughts: 'Hm', end: 'stop' },
  ],
  [
    'thoughts under their older name',
    {
      choice: whole({ content: 'Hello', reasoning_content: 'Hm' }, 'stop'),
      events: [piece({ reasoning_content: 'Hm' }), piece({ content: 'Hello' }, 'stop')],
    },
    { text: 'Hello', thoughts: 'Hm', end: 'stop' },
  ],
  [
    'counts as text',
    {
      choice: whole({ content: 'Hello' }, 'stop'),
      events: [piece({ content: 'Hello' }, 'stop')],
      usage: { prompt_tokens: '11', completion_tokens: '7', total_tokens: '18' },
    },
    { text: 'Hello', end: 'stop' },
  ],
];

const names = Object.keys(DIALECTS) as DialectName[];

describe.each(names)("a vendor's unusual chat answer in the dialect %s", (dialect) => {
  test.each(CASES)(
    'arrives repaired: %s',
    async (_, answer, { text = '', thoughts, calls = [], end = 'tools' }) => {
      vendor.bend(answer);
      for (const stream of [false, true]) {
        const seen = await askIn(gateway, dialect, MODEL, { stream });
        expect(seen).toMatchObject({ status: 200, error: false, text, calls, finish: FINISH[dialect][end] });
        if (thoughts !== undefined) expect(seen.thoughts).toBe(thoughts);
      }
    },
  );

  test('arrives once when a text field repeats the message', async () => {
    vendor.bend({
      choice: { ...whole({ content: 'Hello' }, 'stop'), text: 'Hello' },
      events: [
        { choices: [{ index: 0, delta: { content: 'Hel' }, text: 'Hel' }] },
        { choices: [{ index: 0, delta: { content: 'lo' }, text: 'lo', finish_reason: 'stop' }] },
      ],
    });
    for (const stream of [false, true])
      expect(await askIn(gateway, dialect, MODEL, { stream })).toMatchObject({ status: 200, text: 'Hello' });
  });

  test('arrives with an own id for each call without one', async () => {
    vendor.bend({
      choice: whole({ tool_calls: [called(0, undefined, 'look', '{}'), called(0, undefined, 'look', '{}')] }),
      events: [
        calling(called(undefined, undefined, 'look', '{}'), called(undefined, undefined, 'look', '{}')),
        piece({}, 'stop'),
      ],
    });
    for (const stream of [false, true]) {
      const { calls } = await askIn(gateway, dialect, MODEL, { stream });
      expect(calls).toHaveLength(2);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
      expect(calls.every(({ id }) => /^[\w-]{10,64}$/.test(id))).toBe(true);
    }
  });
});
