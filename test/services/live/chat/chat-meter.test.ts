import { describe, expect, test } from '@jest/globals';
import type { ChatChunk, OpenAiUsage } from '../../../../providers/chat-adapter.ts';
import { ChatMeter } from '../../../../services/live/chat/chat-meter.ts';

const says = (content: string, usage?: OpenAiUsage): ChatChunk => ({
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...(usage && { usage }),
});
const ends = (usage?: OpenAiUsage): ChatChunk => ({
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  ...(usage && { usage }),
});
const counts = (prompt: number, completion: number): OpenAiUsage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
});
const onlyCounts = (usage: OpenAiUsage): ChatChunk => ({ choices: [], usage });

/** Forty characters: ten tokens, by the guess. */
const TEN = 'abcd'.repeat(10);

function usageOf(chunks: ChatChunk[], isWhole: boolean) {
  const meter = new ChatMeter();
  for (const chunk of chunks) meter.addChunk(chunk);
  const { prompt, completion } = meter.usage(3, isWhole);
  return [prompt, completion];
}

describe('the usage of a stream', () => {
  test.each<[string, ChatChunk[], number[]]>([
    ['by the upstream’s count', [says(TEN), ends(), onlyCounts(counts(5, 2))], [5, 2]],
    ['by the last of its counts', [says(TEN, counts(5, 1)), ends(counts(5, 2))], [5, 2]],
    ['by a guess where it does not count', [says(TEN), ends()], [3, 10]],
  ])('counts a whole stream %s', (_how, chunks, expected) => {
    expect(usageOf(chunks, true)).toEqual(expected);
  });

  test.each<[string, ChatChunk[], number[]]>([
    ['a count that came with the finish', [says(TEN), ends(counts(5, 2))], [5, 2]],
    ['a count that came after the finish', [says(TEN), ends(), onlyCounts(counts(5, 2))], [5, 2]],
    ['the guess, where the count was of the beginning', [says('', counts(5, 0)), says(TEN)], [5, 10]],
    ['the running count, where that is more', [says(TEN, counts(5, 30))], [5, 30]],
    ['the guess, where there is no count', [says(TEN)], [3, 10]],
    ['the guess of a prompt that was not counted', [says(TEN, counts(0, 30))], [3, 30]],
    [
      'the guess, where another choice went on after the count',
      [ends(counts(5, 2)), { choices: [{ index: 1, delta: { content: TEN } }] }],
      [5, 10],
    ],
  ])('takes for a stream that broke off %s', (_what, chunks, expected) => {
    expect(usageOf(chunks, false)).toEqual(expected);
  });

  test('includes reasoning and tool calls', () => {
    const call = { index: 0, function: { arguments: 'abcd' } };
    const delta = { reasoning: 'abcd', tool_calls: [call] };
    expect(usageOf([{ choices: [{ index: 0, delta }] }], false)).toEqual([3, 2]);
  });
});

test('the meter counts at most a thousand tool calls', () => {
  const meter = new ChatMeter();
  for (let index = 0; index < 1_500; index += 1)
    meter.addChunk({ choices: [{ index: 0, delta: { tool_calls: [{ index }] } }] });
  expect(meter.toolCalls).toBe(1_000);
});
