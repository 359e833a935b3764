import { describe, expect, test } from '@jest/globals';
import {
  isPrivateAdapter,
  needsBaseUrl,
  privateCapabilityOf,
} from '../../../domain/endpoints/endpoint-rules.ts';

describe('privateCapabilityOf', () => {
  test.each([
    [['text'], 'chat'],
    [['text', 'image'], 'chat'],
    [['embeddings'], 'embeddings'],
    [['image'], null],
    [['rerank'], null],
    [['video'], null],
  ])("derives the capability from the model's outputs: %j", (modalities, capability) => {
    expect(privateCapabilityOf(modalities, ['chat', 'embeddings'])).toBe(capability);
  });

  test("derives the capability from public endpoints when the model's outputs are unknown", () => {
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
])('the rules of private endpoints for %s: usable %s, needs an address %s', (adapter, isUsable, needsUrl) => {
  expect([isPrivateAdapter(adapter), needsBaseUrl(adapter)]).toEqual([isUsable, needsUrl]);
});
