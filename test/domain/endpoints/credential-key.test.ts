import { describe, expect, test } from '@jest/globals';
import { bringsAddress, needsAddress, parseCredentialKey } from '../../../domain/endpoints/credential-key.ts';

const ENDPOINT = 'https://acme.openai.azure.com';
const azure = (fields: object): string =>
  JSON.stringify({ api_key: 'k-1', endpoint_url: ENDPOINT, ...fields });

describe('a plain credential key', () => {
  test.each(['openai', 'anthropic', 'openai-compatible', 'azure'])(
    'becomes the API key of the adapter %s unchanged',
    (adapter) => {
      expect(parseCredentialKey(adapter, 'sk-1~!')).toEqual({ apiKey: 'sk-1~!' });
    },
  );

  test.each(['', 'two words', 'line\n', ' sk-1', 'schlüssel', 'tab\there', 'a\u007f'])(
    'refuses %j, which has characters outside visible ASCII',
    (key) => {
      expect(parseCredentialKey('openai', key)).toBe('must consist of visible ASCII characters');
    },
  );

  test('accepts text that looks like JSON for every adapter except Azure', () => {
    const key = azure({});
    expect(parseCredentialKey('openai', key)).toEqual({ apiKey: key });
    expect([
      bringsAddress('openai', key),
      bringsAddress('azure', key),
      bringsAddress('azure', 'k-1'),
    ]).toEqual([false, true, false]);
  });
});

describe('an Azure credential key in JSON', () => {
  test('yields the key, the address and an optional API version', () => {
    expect(parseCredentialKey('azure', `\n ${azure({ other: 1 })}`)).toEqual({
      apiKey: 'k-1',
      baseUrl: ENDPOINT,
    });
    expect(parseCredentialKey('azure', azure({ api_version: null }))).not.toHaveProperty('apiVersion');
    expect(parseCredentialKey('azure', azure({ api_version: '2024-10-21' }))).toEqual({
      apiKey: 'k-1',
      baseUrl: ENDPOINT,
      apiVersion: '2024-10-21',
    });
  });

  test.each<[string, string]>([
    ['{"api_key":', 'must be a plain key or a JSON object'],
    [azure({ api_key: undefined }), 'must have an api_key of visible ASCII characters'],
    [azure({ api_key: 7 }), 'must have an api_key of visible ASCII characters'],
    [azure({ api_key: 'two words' }), 'must have an api_key of visible ASCII characters'],
    [azure({ endpoint_url: undefined }), 'must have an endpoint_url'],
    [azure({ endpoint_url: '' }), 'must have an endpoint_url'],
    [azure({ api_version: '' }), 'must have an api_version such as 2024-10-21'],
    [azure({ api_version: '2024&x=1' }), 'must have an api_version such as 2024-10-21'],
    [azure({ api_version: 'v'.repeat(65) }), 'must have an api_version such as 2024-10-21'],
  ])('refuses %s with the rule that it breaks', (key, rule) => {
    expect(parseCredentialKey('azure', key)).toBe(rule);
  });
});

test('only adapters without a vendor of their own need an address', () => {
  const adapters = ['openai', 'anthropic', 'local', 'openai-compatible', 'azure', 'google-vertex'];
  expect(adapters.filter(needsAddress)).toEqual(['openai-compatible', 'azure', 'google-vertex']);
});
