import { expect, test } from '@jest/globals';
import { createProviders, needsKey } from '../../../providers/registry.ts';
import { describeSpeechAdapter } from '../speech-promises.ts';
import { describeTextAdapter } from '../text-suite.ts';

describeTextAdapter('azure');
describeSpeechAdapter('azure');

test('Azure needs a key, has no default base URL and accepts URLs', () => {
  const row = { slug: 'azure', adapter: 'azure', baseUrl: null };
  const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
  const providersAt = (address: { baseUrl?: string }) =>
    createProviders({ rows: [row], credentials: () => ({ apiKey: 'k', ...address }), outbound });
  expect(needsKey('azure')).toBe(true);
  expect(providersAt({}).size).toBe(0);
  expect(providersAt({ baseUrl: 'https://example.openai.azure.com' }).get('azure')?.takesUrls).toBe(true);
});
