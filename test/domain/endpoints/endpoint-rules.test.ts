import { describe, expect, test } from '@jest/globals';
import {
  isPrivateAdapter,
  needsBaseUrl,
  privateCapabilityOf,
} from '../../../domain/endpoints/endpoint-rules.ts';

describe('what a private endpoint serves', () => {
  test.each([
    [['text'], 'chat'],
    [['text', 'image'], 'chat'],
    [['embeddings'], 'embeddings'],
    [['image'], null],
    [['rerank'], null],
    [['video'], null],
  ])('is told by what the model makes: %j', (modalities, capability) => {
    expect(privateCapabilityOf(modalities, ['chat', 'embeddings'])).toBe(capability);
  });

  test('is told by public endpoints where nobody says what the model makes', () => {
    expect(privateCapabilityOf([], ['speech', 'chat'])).toBe('chat');
    expect(privateCapabilityOf([], ['embeddings'])).toBe('embeddings');
    expect(privateCapabilityOf([], ['image'])).toBeNull();
  });
});

test.each([
  ['openai-compatible', true, true],
  ['openai', true, false],
  ['anthropic', true, false],
  ['azure', true, false],
  ['replicate', false, false],
])('%s may be used: %s, and needs an address: %s', (adapter, isUsable, needsUrl) => {
  expect([isPrivateAdapter(adapter), needsBaseUrl(adapter)]).toEqual([isUsable, needsUrl]);
});
