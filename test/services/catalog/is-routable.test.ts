import { describe, expect, test } from '@jest/globals';
import { createIsRoutable } from '../../../services/catalog/is-routable.ts';

interface Facts {
  adapter?: string;
  rowUrl?: string | null;
  apiKey?: string;
  baseUrl?: string;
}

function isRoutable({
  adapter = 'openai',
  rowUrl = 'https://api.example.com/v1',
  ...credentials
}: Facts): boolean {
  const row = { slug: 'p', name: 'P', adapter, baseUrl: rowUrl };
  return createIsRoutable(() => credentials)('p', row);
}

describe('isRoutable', () => {
  test.each<[string, Facts, boolean]>([
    ['with a credential', { apiKey: 'k' }, true],
    ['of a vendor, without one', {}, false],
    ['of a vendor, without one at another address', { baseUrl: 'https://proxy.example/v1' }, false],
    ['that the operator runs, without one', { adapter: 'openai-compatible' }, true],
    [
      'that the operator runs, at an address from the environment',
      { adapter: 'openai-compatible', rowUrl: null, baseUrl: 'http://127.0.0.1:11434/v1' },
      true,
    ],
    ['without an address', { adapter: 'openai-compatible', rowUrl: null, apiKey: 'k' }, false],
  ])('gives the right answer for a provider %s', (_what, facts, expected) => {
    expect(isRoutable(facts)).toBe(expected);
  });

  test('refuses a provider that the catalog does not have', () => {
    expect(createIsRoutable(() => ({ apiKey: 'k' }))('p', undefined)).toBe(false);
  });
});
