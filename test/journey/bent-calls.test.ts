/** Checks that calls in unusual forms reach callers in every dialect, and that answers without content fail. */
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

/** Matches an id that the gateway gives to a call. */
const OWN_ID = expect.stringMatching(/^call_\w{24}$/) as unknown as string;
const LOOK = { id: 'a', name: 'look', arguments: '{"x":1}' };
const SECOND = { id: OWN_ID, name: 'look', arguments: '{"y":2}' };
const END: Record<DialectName, string> = { chat: 'tool_calls', messages: 'tool_use', responses: 'completed' };

const CASES: [string, BentAnswer, SeenAnswer['calls']][] = [
  [
    'calls that share an index and have no ids',
    {
      choice: whole({
        tool_calls: [called(0, '', 'look', '{"x":1}'), called(0, undefined, 'find', '{"y":2}')],
      }),
      events: [
        calling(called(0, '', 'look', '{"x":1}')),
        calling(called(0, undefined, 'find', '{"y":2}')),
        piece({}, 'tool_calls'),
      ],
    },
    [
      { ...LOOK, id: OWN_ID },
      { ...SECOND, name: 'find' },
    ],
  ],
  [
    'calls that share an id',
    {
      choice: whole({ tool_calls: [called(0, 'a', 'look', '{"x":1}'), called(1, 'a', 'look', '{"y":2}')] }),
      events: [
        calling(called(0, 'a', 'look', '{"x":1}')),
        calling(called(1, 'a', 'look', '{"y":2}')),
        piece({}, 'tool_calls'),
      ],
    },
    [LOOK, SECOND],
  ],
  [
    'a call in the older form',
    {
      choice: whole({ function_call: { name: 'look', arguments: '{"x":1}' } }, 'function_call'),
      events: [
        piece({ function_call: { name: 'look', arguments: '' } }),
        piece({ function_call: { arguments: '{"x":1}' } }),
        piece({}, 'function_call'),
      ],
    },
    [{ ...LOOK, id: OWN_ID }],
  ],
  [
    'a call without a list',
    {
      choice: whole({ tool_calls: called(0, 'a', 'look', '{"x":1}') }),
      events: [piece({ tool_calls: called(0, 'a', 'look', '{"x":1}') }), piece({}, 'tool_calls')],
    },
    [LOOK],
  ],
];

const names = Object.keys(DIALECTS) as DialectName[];

describe.each(names)("a vendor's unusual answer in the dialect %s", (dialect) => {
  test.each(CASES)('arrives repaired: %s', async (_, answer, calls) => {
    vendor.bend(answer);
    for (const stream of [false, true]) {
      const seen = await askIn(gateway, dialect, MODEL, { stream });
      expect(seen).toMatchObject({ status: 200, error: false, calls, finish: END[dialect] });
      expect(new Set(seen.calls.map(({ id }) => id)).size).toBe(calls.length);
    }
  });

  test.each<[string, BentAnswer]>([
    ['without content', { choice: whole({}, null), events: [] }],
    ['that stops without content', { choice: whole({}, 'stop'), events: [piece({}, 'stop')] }],
    ['that calls nothing', { choice: whole({}), events: [piece({}, 'tool_calls')] }],
    [
      'with text in an unknown place',
      {
        choice: { words: 'Hello', finish_reason: 'stop' },
        events: [{ choices: [{ words: 'Hello' }] }, piece({}, 'stop')],
      },
    ],
  ])('fails the request for an answer %s', async (_, answer) => {
    vendor.bend(answer);
    for (const stream of [false, true]) {
      const seen = await askIn(gateway, dialect, MODEL, { stream });
      expect([seen.status, seen.error]).toEqual([stream ? seen.status : 502, true]);
    }
  });
});
