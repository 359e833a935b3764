import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chatRequest } from '../../../contract/live/chat-request.ts';
import { isPlainChat } from '../../../contract/live/plain-chat.ts';

/** Values of every kind, and some at the edges of the rules. */
const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(0, -1, 1, 1.5, 2, 2.000001, 2 ** 53, 1e308, '', 'user', 'tool', '\ud800', 'a\0b', null, {}),
);
const oftenOf = (usual: fc.Arbitrary<unknown>) => fc.oneof({ weight: 20, arbitrary: usual }, anything);

const withMore = (usual: fc.Arbitrary<object>, ...names: string[]) => {
  const more = fc.record(Object.fromEntries(names.map((name) => [name, anything])), { requiredKeys: [] });
  const both = fc.tuple(usual, more).map(([fields, others]) => ({ ...fields, ...others }));
  return fc.oneof({ weight: 6, arbitrary: usual }, both);
};

const message = withMore(
  fc.record({
    role: oftenOf(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool')),
    content: oftenOf(fc.string({ unit: 'binary' })),
  }),
  'name',
  'tool_call_id',
  '__proto__',
);
const body = withMore(
  fc.record(
    {
      model: oftenOf(fc.constantFrom('local/echo-1', '@preset/a', 'é', 'a b', 'x'.repeat(257))),
      messages: oftenOf(fc.array(oftenOf(message), { maxLength: 3 })),
      stream: oftenOf(fc.boolean()),
      stream_options: oftenOf(fc.record({ include_usage: oftenOf(fc.boolean()) })),
      temperature: oftenOf(fc.double({ min: 0, max: 2, noNaN: true })),
      top_p: oftenOf(fc.double({ min: 0, max: 1, noNaN: true })),
      max_tokens: oftenOf(fc.nat()),
      max_completion_tokens: oftenOf(fc.nat()),
    },
    { requiredKeys: ['messages'] },
  ),
  'user',
  'unknown_field',
  '__proto__',
);

test('takes as plain only bodies that the schema accepts and leaves unchanged', () => {
  let plain = 0;
  const holds = (value: unknown): void => {
    if (!isPlainChat(value)) return;
    plain += 1;
    expect(chatRequest.parse(value)).toEqual(value);
  };
  fc.assert(fc.property(fc.oneof(body, anything), holds), { numRuns: 5_000 });
  expect(plain).toBeGreaterThan(100);
});

test('takes as plain what most clients send', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is a sluice?' },
  ];
  const usual = { model: 'openai/gpt-5', messages, temperature: 0.2, max_tokens: 100 };
  expect(isPlainChat(usual)).toBe(true);
  expect(isPlainChat({ ...usual, stream: true, stream_options: { include_usage: true } })).toBe(true);
});
