import { describe, expect, test } from '@jest/globals';
import { readPrompt } from '../../../services/generations/prompt-facts.ts';
import { toTokenUsage } from '../../../services/generations/token-usage.ts';

describe('what an upstream counted', () => {
  test('has no parts that are more than the whole, whatever it says', () => {
    const usage = toTokenUsage({
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 3_000_000_000, audio_tokens: 4, cache_write_tokens: -1 },
      completion_tokens_details: { reasoning_tokens: 1.5, image_tokens: 7 },
    });
    expect(usage).toEqual({ prompt: 10, completion: 5, cacheRead: 10, completionImage: 5 });
  });
});

describe('what can be said of a prompt', () => {
  test('knows no kinds of parts but its own, whatever they are called', () => {
    const content = ['constructor', '__proto__', 'toString'].map((type) => ({ type }));
    expect(readPrompt([{ content }], undefined).modalities).toEqual(['text']);
  });

  test('names each kind once', () => {
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'image_url', image_url: { url: 'https://example.com/b.png' } },
    ];
    expect(readPrompt([{ content }], undefined)).toMatchObject({ images: 2, modalities: ['text', 'image'] });
  });
});
