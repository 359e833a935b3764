import { describe, expect, test } from '@jest/globals';
import { nearestNames } from '../../../domain/catalog/nearest-names.ts';

const NAMES = [
  'openai/gpt-5',
  'openai/gpt-5-mini',
  'openai/gpt-6-sol',
  'acme/gpt-5',
  'anthropic/claude-sonnet-4.5',
  'local/echo-1',
];

describe('nearestNames', () => {
  test.each([
    ['a mistyped name', 'local/ecko-1', ['local/echo-1']],
    ['another case', 'Local/Echo-1', ['local/echo-1']],
    ['another author', 'antropic/claude-sonnet-4.5', ['anthropic/claude-sonnet-4.5']],
    ['no author', 'gpt-5', ['openai/gpt-5', 'acme/gpt-5', 'openai/gpt-5-mini', 'openai/gpt-6-sol']],
    ['only the beginning', 'claude-sonnet', ['anthropic/claude-sonnet-4.5']],
    ['a family of models', 'gpt-6', ['openai/gpt-6-sol', 'openai/gpt-5', 'acme/gpt-5', 'openai/gpt-5-mini']],
    ['another end', 'anthropic/claude-sonnet-4-20250514', ['anthropic/claude-sonnet-4.5']],
    ['no resemblance', 'no/such', []],
    ['a short name', 'x', []],
    ['no name', '', []],
    ['a very long name', `openai/gpt-5${'x'.repeat(200)}`, []],
  ])('returns the similar names for %s', (_what, name, nearest) => {
    expect(nearestNames(name, NAMES)).toEqual(nearest);
  });
});
