import { describe, expect, test } from '@jest/globals';
import { measurePrompt } from '../../../services/live/prompt/measure-prompt.ts';
import { showUsage, toTextUsage, toTokenUsage } from '../../../services/live/token-usage.ts';

const NO_COST = { promptNanos: 0n, completionNanos: 0n, totalNanos: 0n };

describe('the usage from an upstream', () => {
  test('has no part greater than its whole', () => {
    const usage = toTokenUsage({
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 3_000_000_000, audio_tokens: 4, cache_write_tokens: -1 },
      completion_tokens_details: { reasoning_tokens: 1.5, image_tokens: 7 },
    });
    expect(usage).toEqual({ prompt: 10, completion: 5, cacheRead: 10, completionImage: 5 });
  });
});

describe('the cached sound of a prompt', () => {
  const counted = (details: object) =>
    toTokenUsage({
      prompt_tokens: 100,
      prompt_tokens_details: { cached_tokens: 60, audio_tokens: 50, ...details },
    });

  test('counts as cached, and not again as sound', () => {
    const usage = counted({ cached_tokens_details: { audio_tokens: 20, text_tokens: 40 } });
    expect(usage).toEqual({ prompt: 100, completion: 0, cacheRead: 60, cacheReadAudio: 20, promptAudio: 30 });
    const { prompt_tokens_details: shown } = showUsage(usage, NO_COST, undefined, {});
    expect(shown).toMatchObject({ audio_tokens: 50, cached_tokens_details: { audio_tokens: 20 } });
  });

  test.each([
    [{ audio_tokens: 70 }, 50, undefined],
    [{ audio_tokens: -1 }, undefined, 40],
    [null, undefined, 40],
    ['x', undefined, 40],
  ])('never exceeds the sound or the cached tokens: %j', (ofCached, cacheReadAudio, promptAudio) => {
    const usage = counted({ cached_tokens_details: ofCached });
    expect([usage.cacheRead, usage.cacheReadAudio, usage.promptAudio]).toEqual([
      60,
      cacheReadAudio,
      promptAudio,
    ]);
  });
});

describe('the usage of a text', () => {
  const estimate = () => ({ prompt: 30, completion: 9 });

  test.each([
    [{ prompt_tokens: 10, completion_tokens: 5 }, [10, 5]],
    [{ prompt_tokens: 10, completion_tokens: 0 }, [10, 0]],
    [{ prompt_tokens: 0, completion_tokens: 5 }, [30, 5]],
    [{ prompt_tokens: 10 }, [10, 9]],
    [{ prompt_tokens: -1 }, [30, 9]],
  ])('estimates what is missing in %j', (counted, [prompt, completion]) => {
    expect(toTextUsage(counted, estimate)).toEqual({ prompt, completion });
  });
});

describe('the usage shown to the caller', () => {
  const cost = { promptNanos: 1n, completionNanos: 2n, totalNanos: 3n };

  test.each([
    [{ prompt_tokens: 10, completion_tokens: 5 }, undefined],
    [{ prompt_tokens: 0, completion_tokens: 5 }, true],
    [{ prompt_tokens: 10 }, true],
    [undefined, true],
  ])('says for the counts %j that is_estimated is %s', (counted, isEstimated) => {
    const shown = showUsage({ prompt: 10, completion: 5 }, cost, counted, {});
    expect(shown.is_estimated).toBe(isEstimated);
  });

  test('includes valid counts without a price and drops everything else', () => {
    const counted = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 40, video_tokens: 7, secret: 'x', image_tokens: '9' },
      completion_tokens_details: { rejected_prediction_tokens: 3, accepted_prediction_tokens: NaN },
      server_tool_use: { web_search_requests: 2, tool_calls_requested: Infinity },
    };
    const { prompt_tokens_details, completion_tokens_details, server_tool_use_details } = showUsage(
      toTokenUsage(counted),
      cost,
      counted,
      {},
    );
    expect(prompt_tokens_details).toEqual({
      cached_tokens: 40,
      cache_write_tokens: 0,
      audio_tokens: 0,
      video_tokens: 7,
    });
    expect(completion_tokens_details).toEqual({
      reasoning_tokens: 0,
      audio_tokens: 0,
      image_tokens: 0,
      rejected_prediction_tokens: 3,
    });
    expect(server_tool_use_details).toEqual({ web_search_requests: 2 });
  });

  test.each([null, [], 'x', 7])("stays complete when the upstream's details are %j", (details) => {
    const counted = {
      prompt_tokens: 1,
      prompt_tokens_details: details as never,
      server_tool_use_details: details,
    };
    expect(showUsage(toTokenUsage(counted), cost, counted, {})).toMatchObject({
      prompt_tokens: 1,
      total_tokens: 1,
    });
  });
});

describe('the facts of an embeddings input', () => {
  test.each<[string, unknown, number, number, string[]]>([
    ['a text', 'abcdefgh', 2, 0, ['text']],
    ['texts', ['abcd', 'efgh'], 2, 0, ['text']],
    ['tokens', [1, 2, 3], 3, 0, ['text']],
    ['lists of tokens', [[1, 2], [3]], 3, 0, ['text']],
    [
      'parts',
      [
        {
          content: [
            { type: 'text', text: 'abcd' },
            { type: 'image_url', image_url: { url: 'https://a.b/c' } },
          ],
        },
      ],
      1_001,
      1,
      ['text', 'image'],
    ],
  ])('have tokens, images and modalities for %s', (_what, input, estimatedTokens, images, modalities) => {
    expect(measurePrompt({ input }, 0)).toMatchObject({
      estimatedTokens,
      images,
      modalities,
      hasMedia: images > 0,
    });
  });
});

describe('the facts of a prompt', () => {
  test('ignore types of parts that are named like object properties', () => {
    const content = ['constructor', '__proto__', 'toString'].map((type) => ({ type }));
    expect(measurePrompt({ messages: [{ content }] }).modalities).toEqual(['text']);
  });

  test('name each modality once', () => {
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'image_url', image_url: { url: 'https://example.com/b.png' } },
    ];
    expect(measurePrompt({ messages: [{ content }] })).toMatchObject({
      images: 2,
      modalities: ['text', 'image'],
    });
  });
});
