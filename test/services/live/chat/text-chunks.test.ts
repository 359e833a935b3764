import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ChatChunk } from '../../../../providers/chat-adapter.ts';
import { readChunk } from '../../../../providers/openai-compatible/chat-checks.ts';
import { createChatReader } from '../../../../providers/openai-compatible/chat-reader.ts';
import { ChatStreamRepair } from '../../../../providers/openai-compatible/repair/chat-stream.ts';
import { TextChunk } from '../../../../providers/text-chunk.ts';
import { ChatMeter } from '../../../../services/live/chat/chat-meter.ts';
import { createChunkWriter, type Stamp } from '../../../../services/live/chat/chunk-writer.ts';

const STAMP: Stamp = {
  id: 'gen-1',
  object: 'chat.completion.chunk',
  created: 7,
  model: 'acme/model',
  provider: 'Acme',
};
/** What an upstream says in a chunk; `content` is JSON as it wrote it. */
const chunk = (content: string, { head = '', delta = '', choice = '' } = {}): string =>
  `{"id":"chatcmpl-1","created":1,${head}"choices":[{"index":0,"delta":{${delta}"content":${content}}${choice}}]}`;

const readAll = (events: string[]): ChatChunk[] => {
  const reader = createChatReader(() => {});
  return events.map((data) => reader.read({ type: '', data }, []) as ChatChunk);
};
const parseAll = (events: string[]): ChatChunk[] => {
  const repair = new ChatStreamRepair(() => {});
  return events.map((data) => {
    const chunk = readChunk(JSON.parse(data), () => {});
    repair.repair(chunk);
    return chunk;
  });
};
const written = (chunks: ChatChunk[]): unknown[] => {
  const write = createChunkWriter(STAMP);
  return chunks.map((each) => write(each)).map((text) => text && JSON.parse(text.slice('data: '.length)));
};
const metered = (chunks: ChatChunk[]) => {
  const meter = new ChatMeter();
  for (const each of chunks) meter.addChunk(each);
  const { finishReason, upstreamId, serviceTier, toolCalls } = meter;
  return [meter.usage(3, false), finishReason, upstreamId, serviceTier, toolCalls];
};
const textsOf = (chunks: ChatChunk[]): unknown[] =>
  chunks.map(({ choices }) => choices.map(({ index, delta }) => [index, delta.content]));
const recognized = (events: string[]): number =>
  readAll(events).filter((each) => each instanceof TextChunk).length;

test('a chunk of 5,000 characters creates no pattern in memory', () => {
  const padded = (content: string): string => chunk(content, { head: `"padding":"${'x'.repeat(5_000)}",` });
  expect(recognized([padded('"a"'), padded('"b"')])).toBe(0);
  expect(recognized([chunk('"a"'), chunk('"b"')])).toBe(1);
});

/** JSON strings with every way to write a character, some of them broken off or not allowed. */
const literal = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc
    .array(
      fc.constantFrom('a', ' ', '\\n', '\\"', '\\\\', '\\u00e9', '\\ud83d\\ude00', '\\ud800', '\\/', '語'),
    )
    .map((parts) => `"${parts.join('')}"`),
  fc.constantFrom('"\\"content\\":\\"x\\""', '"a text\\nto be found again"', '""'),
);
const shape = fc.constantFrom(
  {},
  { choice: ',"finish_reason":null' },
  { delta: '"role":"assistant",', choice: ',"finish_reason":null,"logprobs":null' },
  { delta: '"refusal":null,"tool_calls":null,' },
  { head: '"usage":null,"service_tier":"flex",' },
  { head: '"usage":{"prompt_tokens":4,"completion_tokens":2},' },
  { head: '"content":"of the chunk",' },
  { delta: '"reasoning_content":"hm",' },
  { delta: '"tool_calls":[{"index":0,"id":"a","type":"function","function":{"arguments":"{}"}}],' },
  { choice: ',"finish_reason":"stop"' },
);
const runOfChunks = fc
  .tuple(shape, fc.array(literal, { minLength: 1, maxLength: 6 }))
  .map(([fields, literals]) => literals.map((each) => chunk(each, fields)));
const stream = fc.array(runOfChunks, { minLength: 1, maxLength: 6 }).map((runs) => runs.flat());

describe('chunks that differ in their text alone', () => {
  test('produce the output, usage and texts of parsed chunks', () => {
    fc.assert(
      fc.property(stream, (events) => {
        expect(written(readAll(events))).toEqual(written(parseAll(events)));
        expect(metered(readAll(events))).toEqual(metered(parseAll(events)));
        expect(textsOf(readAll(events))).toEqual(textsOf(parseAll(events)));
      }),
      { numRuns: 500 },
    );
  });

  test('match the pattern from the second on', () => {
    const events = ['"a"', '" \\"b\\""', '"語"', '"\\u00e9"'].map((each) => chunk(each));
    expect(recognized([chunk('""', { delta: '"role":"assistant",' }), ...events])).toBe(3);
  });

  test.each([
    ['a text that is no JSON string', chunk('"a\nb"')],
    ['a text that is broken off', chunk('"a\\"')],
    ['an escape that there is not', chunk('"\\x41"')],
    ['two texts in place of one', chunk('"a","content":"b"').replace('"b"', '"b" "c"')],
  ])('fail as invalid JSON with %s', (_, event) => {
    const reader = createChatReader(() => {});
    for (const each of ['"a"', '"b"']) reader.read({ type: '', data: chunk(each) }, []);
    expect(() => reader.read({ type: '', data: event }, [])).toThrow(SyntaxError);
  });

  test.each([
    ['a finish', { choice: ',"finish_reason":"stop"' }],
    ['usage', { head: '"usage":{"prompt_tokens":4},' }],
    ['a thought', { delta: '"reasoning":"hm",' }],
    ['a call', { delta: '"tool_calls":[{"index":0}],' }],
    ['two texts', { head: '"content":"x",' }],
  ])('pass through the parser when they contain %s', (_, fields) => {
    expect(recognized(['"a"', '"b"', '"c"'].map((each) => chunk(each, fields)))).toBe(0);
  });

  test('stop the search for a pattern after ten chunks that differ in more', () => {
    const differing = Array.from({ length: 10 }, (_, n) => chunk('"a"', { head: `"padding":${n},` }));
    expect(recognized([...differing, chunk('"a"'), chunk('"b"')])).toBe(0);
  });

  test('do not match an event of another type', () => {
    const reader = createChatReader(() => {});
    for (const each of ['"a"', '"b"']) reader.read({ type: '', data: chunk(each) }, []);
    expect(reader.read({ type: 'note', data: chunk('"c"') }, [])).not.toBeInstanceOf(TextChunk);
    expect(reader.read({ type: '', data: chunk('"c"') }, [])).toBeInstanceOf(TextChunk);
  });
});
