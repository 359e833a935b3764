import { describe, expect, test } from '@jest/globals';
import { bundledCatalogs } from '../../../providers/catalog-file.ts';
import { nameModels } from '../../../services/catalog/model-names.ts';

const files = bundledCatalogs();
const idOf = nameModels({
  models: files.flatMap(({ models }) => models),
  endpoints: files.flatMap(({ endpoints }) => endpoints),
  liveEndpoints: files.flatMap(({ liveEndpoints }) => liveEndpoints),
});

describe('the shipped catalogs', () => {
  test('resolve each id and canonical slug to its own model', () => {
    for (const { models } of files) {
      for (const { id, canonicalSlug } of models) expect([id, canonicalSlug].map(idOf)).toEqual([id, id]);
    }
  });

  test.each([
    ['gpt-5.1', 'openai/gpt-5.1'],
    ['gpt-5.1-2025-11-13', 'openai/gpt-5.1'],
    ['gpt-4o-mini-tts', 'openai/gpt-4o-mini-tts'],
    ['openai/gpt-4o-mini-tts-20251215', 'openai/gpt-4o-mini-tts'],
    ['claude-haiku-4-5-20251001', 'anthropic/claude-haiku-4.5'],
    ['anthropic/claude-haiku-4-5', 'anthropic/claude-haiku-4.5'],
    ['claude-opus-5-5', 'anthropic/claude-opus-5.5'],
    ['anthropic/claude-opus-latest', 'anthropic/claude-opus-5.5'],
    ['rerank-v5.0-pro', 'cohere/rerank-5-pro'],
    ['cohere/rerank-pro-latest', 'cohere/rerank-5-pro'],
    ['echo-1', 'local/echo-1'],
  ])('resolve %s as users write it', (name, id) => {
    expect(idOf(name)).toBe(id);
  });
});
