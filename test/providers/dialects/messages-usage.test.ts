import { describe, expect, test } from '@jest/globals';
import { usageToChat, usageToMessages } from '../../../providers/dialects/messages/usage.ts';
import { toTokenUsage } from '../../../services/live/token-usage.ts';

describe("a chat's usage in Anthropic's fields", () => {
  test('keeps every billed token when it is converted back', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: {
        cached_tokens: 10,
        cache_write_tokens: 8,
        cache_write_1h_tokens: 3,
        audio_tokens: 5,
        image_tokens: 20,
      },
      completion_tokens_details: { reasoning_tokens: 7, audio_tokens: 2, image_tokens: 4 },
    };
    const told = usageToMessages(usage);
    expect(told).toMatchObject({
      input_tokens: 82,
      cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 3 },
    });
    expect(toTokenUsage(usageToChat(told))).toEqual(toTokenUsage(usage));
  });
});

describe("Anthropic's usage", () => {
  const compaction = {
    type: 'compaction',
    input_tokens: 1_000,
    output_tokens: 40,
    cache_read_input_tokens: 5,
  };

  test("includes the tokens of the conversation's compaction", () => {
    const iterations = [compaction, { type: 'message', input_tokens: 10, output_tokens: 2 }];
    const usage = usageToChat({ input_tokens: 10, output_tokens: 2, iterations });
    expect(usage).toMatchObject({ prompt_tokens: 1_015, completion_tokens: 42 });
  });

  test.each([[-1], [0.5], ['7'], [2 ** 40], [null]])('ignores the count %j', (count) => {
    const iterations = [{ ...compaction, input_tokens: count }];
    const usage = usageToChat({ input_tokens: 10, output_tokens: 2, iterations });
    expect(usage.prompt_tokens).toBe(15);
  });
});
