import { describe, expect, test } from '@jest/globals';
import { describeSpeechAdapter } from './speech-promises.ts';
import { failureOf } from './text-adapter-under-test.ts';

const speech = describeSpeechAdapter('openai');

describe('the wire of OpenAI', () => {
  test.each([
    ['turns', { input: [{ text: 'Hello' }] }, /turns/],
    ['references', { references: [{ kind: 'audio', data: 'AAAA' } as const] }, /references/],
  ])('refuses %s without a request', async (_what, change, words) => {
    const before = speech.client.upstream.requests('speech').length;
    const error = await failureOf(speech.speak(change));
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(error.publicMessage).toMatch(words);
    expect(speech.client.upstream.requests('speech')).toHaveLength(before);
  });
});
