import { describe, expect, test } from '@jest/globals';
import type { BroadcastContent } from '../../../../domain/broadcast/event.ts';
import { repeatsContent } from '../../../../services/broadcast/destinations/repeats-content.ts';
import { makeBareSpan, makeSpan } from './make-span.ts';

const PROMPT = 'Where did Zoë hide\nthe "basalt" lighthouse?';

function repeats(answer: string, prompt = PROMPT, change: Partial<BroadcastContent> = {}): boolean {
  const content: BroadcastContent = {
    input: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    output: [],
    outputText: null,
    ...change,
  };
  return repeatsContent(answer, [makeBareSpan(), makeSpan({ content })]);
}

describe('repeatsContent', () => {
  const json = JSON.stringify({ prompt: PROMPT });
  const ascii = json.replaceAll('ë', String.raw`\u00eb`);
  test.each([
    ['as it is', PROMPT],
    ['as JSON', json],
    ['as JSON within JSON', JSON.stringify({ error: json })],
    ['as ASCII within JSON', JSON.stringify({ error: ascii })],
    ['in part', `near '${PROMPT.slice(9, 36)}'`],
    ['cut at its end', `invalid: ${PROMPT.slice(0, 28)}`],
  ])('finds a prompt repeated %s', (_how, answer) => {
    expect(repeats(answer)).toBe(true);
  });

  test('finds a run of 26 characters from any place in a long text', () => {
    const text = Array.from({ length: 400 }, (_, n) => `word${n * 7919}`).join(' ');
    for (let at = 0; at < 200; at += 1) expect(repeats(`x${text.slice(at, at + 26)}x`, text)).toBe(true);
  });

  test('finds a short text only as a whole', () => {
    expect(repeats('unexpected "Hello there"', 'Hello there')).toBe(true);
    expect(repeats('unexpected "Hello"', 'Hello there')).toBe(false);
  });

  test('finds the output text, and only in the same case', () => {
    expect(
      repeats('the answer was forty-two, said he', 'Why?', { outputText: 'The answer was forty-two' }),
    ).toBe(false);
    expect(repeats('The answer was forty-two', 'Why?', { outputText: 'The answer was forty-two' })).toBe(
      true,
    );
  });
});

test.each([
  '{"partialSuccess":{}}',
  'ok',
  'The request body is larger than 4 MiB',
  'Unknown attribute gen_ai.input.messages for a user message of type text',
])("a response in the vendor's own terms repeats no content: %s", (answer) => {
  expect(repeats(answer)).toBe(false);
});

test('a span without content is never repeated', () => {
  expect(repeatsContent(PROMPT, [makeBareSpan()])).toBe(false);
});
