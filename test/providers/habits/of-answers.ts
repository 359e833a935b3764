/**
 * Lists what vendors of OpenAI's wire do in their answers. Each habit broke another gateway or a client, as their users
 * reported. Beside it stands what a caller sees all the same.
 */
import type { Fields } from '../../../domain/fields.ts';
import { end, type Habit, HELLO, piece, TEXT, USAGE } from './habit.ts';

const calls = (...list: Fields[]): Fields => piece({ tool_calls: list });
const call = (index: number | undefined, name: string | undefined, args: unknown): Fields => ({
  ...(index !== undefined && { index }),
  ...(name !== undefined && { id: `call_${name}`, type: 'function' }),
  function: { ...(name !== undefined && { name }), arguments: args },
});
const [A, B] = ['{"x":1}', '{"y":2}'];
const TWO = { calls: [`0 a ${A}`, `1 b ${B}`], finish: 'tool_calls' };

export const HABITS_OF_ANSWERS: readonly Habit[] = [
  {
    title: 'keeps calls with one index apart',
    events: [calls(call(0, 'a', A)), calls(call(0, 'b', B)), end('tool_calls')],
    seen: TWO,
  },
  {
    title: 'keeps calls without an index apart',
    events: [calls(call(undefined, 'a', A), call(undefined, 'b', B)), end('tool_calls')],
    seen: TWO,
  },
  {
    title: 'puts calls in alternating parts together',
    events: [
      calls(call(0, 'a', '')),
      calls(call(1, 'b', '')),
      calls(call(0, undefined, A)),
      calls(call(1, undefined, B)),
      end('tool_calls'),
    ],
    seen: TWO,
  },
  {
    title: 'makes a text of arguments that are an object',
    events: [calls(call(0, 'a', { x: 1 })), end('tool_calls')],
    seen: { calls: [`0 a ${A}`] },
  },
  {
    title: 'finishes calls without a reason',
    events: [calls(call(0, 'a', A)), { choices: [], usage: USAGE }],
    seen: { finish: 'tool_calls' },
  },
  {
    title: 'finishes calls that end with stop',
    events: [piece({ content: 'I look.' }), calls(call(0, 'a', A)), end('stop')],
    seen: { finish: 'tool_calls', text: 'I look.' },
  },
  {
    title: 'reads events without choices',
    events: [
      { choices: [], prompt_filter_results: [] },
      ...HELLO.slice(0, 2),
      piece({}, 'stop'),
      { choices: [], usage: USAGE },
    ],
    seen: { ...TEXT, usage: USAGE },
  },
  { title: 'ignores comments and heartbeats', events: [': WORKING\n\n', 'data:\n\n', ...HELLO], seen: TEXT },
  { title: 'reads lines with CRLF', newline: '\r\n', seen: TEXT },
  { title: 'needs no [DONE] after the last reason', events: HELLO, end: '', seen: TEXT },
  {
    title: 'ignores unknown fields',
    events: HELLO.map((event) => ({ ...event, x_vendor: { id: 1 }, obfuscation: 'x' })),
    seen: TEXT,
  },
  {
    title: 'reads content as a list of parts',
    events: [piece({ content: [{ type: 'text', text: 'Hello' }] }), end('stop')],
    seen: TEXT,
  },
  {
    title: 'reads a message in place of a delta',
    events: [{ choices: [{ index: 0, message: { content: 'Hello' } }] }, end('stop')],
    seen: TEXT,
  },
  {
    title: 'names thoughts reasoning',
    events: [piece({ reasoning_content: 'why' }), ...HELLO],
    seen: { ...TEXT, reasoning: 'why' },
  },
  {
    title: 'fails an empty answer',
    events: [piece({ content: null }), end('stop')],
    seen: { error: { code: 'invalid_response', retryable: true } },
  },
  {
    title: 'fails an error in a success',
    events: [{ error: { code: 503, message: 'busy' } }],
    answers: ({ stream }) =>
      stream === true ? undefined : { body: { error: { code: 503, message: 'busy' } } },
    seen: { error: { code: 'overloaded' } },
  },
  {
    title: 'fails when the connection breaks',
    fails: 'cut',
    seen: { error: { code: 'connection_lost', sent: true } },
  },
  {
    title: 'fails when the vendor stays silent',
    fails: 'silent',
    seen: { error: { code: 'timeout' } },
  },
];
