/** Checks that the pieces of streamed tool calls are put together to the calls that the vendor meant. */
import { expect, test } from '@jest/globals';
import { ToolCallParts } from '../../providers/openai-compatible/repair/tool-calls.ts';

type Piece = [index: number | undefined, id: string | undefined, name: string | undefined, given: string];

/** Adds up the pieces as OpenAI's clients do. */
function callsOf(pieces: readonly Piece[]): { id: string; name: string; arguments: string }[] {
  const parts = new ToolCallParts(
    () => {},
    () => {},
  );
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const [index, id, name, given] of pieces) {
    const piece: Record<string, unknown> = {
      ...(index === undefined ? {} : { index }),
      ...(id === undefined ? {} : { id }),
      function: { ...(name === undefined ? {} : { name }), arguments: given },
    };
    parts.repair([piece]);
    const called = piece['function'] as { name?: string; arguments?: string };
    const call = (calls[Number(piece['index'])] ??= { id: '', name: '', arguments: '' });
    call.id += typeof piece['id'] === 'string' ? piece['id'] : '';
    call.name += called.name ?? '';
    call.arguments += called.arguments ?? '';
  }
  return calls;
}

const A = { name: 'a', arguments: '{"x":1}' };
const B = { name: 'b', arguments: '{"y":2}' };

test.each<[string, Piece[], object[]]>([
  [
    'one id at two places',
    [
      [0, 'x', 'a', '{"x":1}'],
      [1, 'x', 'b', '{"y":2}'],
    ],
    [A, B],
  ],
  [
    'one id at two places, in pieces',
    [
      [0, 'x', 'a', ''],
      [1, 'x', 'b', ''],
      [0, 'x', undefined, '{"x":1}'],
      [1, 'x', undefined, '{"y":2}'],
    ],
    [A, B],
  ],
  [
    'one id and no places',
    [
      [undefined, 'x', 'a', '{"x":1}'],
      [undefined, 'x', 'b', '{"y":2}'],
    ],
    [A, B],
  ],
  [
    'one id and one place',
    [
      [0, 'x', 'a', '{"x":1}'],
      [0, 'x', 'b', '{"y":2}'],
    ],
    [A, B],
  ],
  [
    'one place and empty ids',
    [
      [0, '', 'a', '{"x":1}'],
      [0, '', 'b', '{"y":2}'],
    ],
    [A, B],
  ],
  [
    'one place and no ids',
    [
      [0, undefined, 'a', '{"x":1}'],
      [0, undefined, 'b', '{"y":2}'],
    ],
    [A, B],
  ],
  [
    'one place, no ids and one name',
    [
      [0, undefined, 'a', '{"x":1}'],
      [0, undefined, 'a', '{"y":2}'],
    ],
    [A, { ...B, name: 'a' }],
  ],
  [
    'one place and no ids, in pieces',
    [
      [0, '', 'a', '{"x"'],
      [0, '', undefined, ':1}'],
      [0, '', 'b', ''],
      [0, '', undefined, '{"y":2}'],
    ],
    [A, B],
  ],
])('calls with %s stay separate', (_, pieces, expected) => {
  const calls = callsOf(pieces);
  expect(calls).toMatchObject(expected);
  expect(calls).toHaveLength(expected.length);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
});

test.each<[string, Piece[]]>([
  [
    'a name in parts',
    [
      [0, 'x', 'lo', ''],
      [0, 'x', 'ok', ''],
      [0, undefined, undefined, '{}'],
    ],
  ],
  [
    'its id and name in every piece',
    [
      [0, 'x', 'look', '{'],
      [0, 'x', 'look', '}'],
    ],
  ],
  [
    'its id in every piece',
    [
      [0, 'x', 'look', '{'],
      [0, 'x', undefined, '}'],
    ],
  ],
  [
    'its name in every piece',
    [
      [0, '', 'look', '{'],
      [0, '', 'look', '}'],
    ],
  ],
  [
    'a new id in every piece',
    [
      [0, 'x', 'look', '{'],
      [0, 'y', undefined, '}'],
    ],
  ],
  [
    'a new place in every piece',
    [
      [0, 'x', 'look', '{'],
      [1, 'x', undefined, '}'],
    ],
  ],
])('a call with %s stays whole', (_, pieces) => {
  const calls = callsOf(pieces);
  expect(calls).toMatchObject([{ name: 'look', arguments: '{}' }]);
});

test('a call without a vendor’s id keeps its generated id', () => {
  const [call] = callsOf([
    [0, '', 'look', '{'],
    [0, 'late', undefined, '}'],
  ]);
  expect(call?.id).toMatch(/^call_\w{24}$/);
});
