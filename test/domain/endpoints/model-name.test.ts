import { expect, test } from '@jest/globals';
import { namesSameModel } from '../../../domain/endpoints/model-name.ts';

test.each([
  ['gpt-5.1', 'gpt-5.1'],
  ['gpt-5.1', 'gpt-5.1-2026-01-01'],
  ['gpt-4', 'gpt-4-0613'],
  ['claude-opus-5-5', 'claude-opus-5-5-20260101'],
  ['claude-haiku-4-5@20251001', 'claude-haiku-4-5-20251001'],
  ['claude-opus-4-6@default', 'claude-opus-4-6'],
  ['acme/tuned-7b', 'tuned-7b'],
  ['acme/tuned-7b', 'tuned-7b:latest'],
  ['llama4', 'llama4-latest'],
  ['publishers/acme/models/tuned', 'tuned@20260101'],
])('a request for %s accepts the response model %s as the same model', (asked, answered) => {
  expect(namesSameModel(asked, answered)).toBe(true);
});

test.each([
  ['gpt-5.1', 'gpt-5.1-mini'],
  ['gpt-5', 'gpt-5.1'],
  ['claude-opus-4', 'claude-opus-4-1'],
  ['llama-3', 'llama-3-70b'],
  ['acme/tuned-7b', 'other/tuned-7b'],
  ['tuned-7b', 'acme/tuned-7b'],
  ['acme/', ''],
  ['tuned', 'Tuned'],
  ['claude-haiku-4-5@20251001', 'claude-haiku-4-5'],
])('a request for %s takes the response model %s for another model', (asked, answered) => {
  expect(namesSameModel(asked, answered)).toBe(false);
});
