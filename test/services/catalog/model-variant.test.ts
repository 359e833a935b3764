import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../domain/errors.ts';
import { readModelVariant } from '../../../services/catalog/model-variant.ts';

function refusalOf(name: string): AppError['options'] {
  try {
    readModelVariant(name, 'body.model');
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return error.options;
  }
  throw new Error(`${name} is not refused`);
}

describe('the ending of a model’s name', () => {
  test.each([
    ['a/b:nitro', { model: 'a/b', sort: 'throughput' }],
    ['a/b:floor', { model: 'a/b', sort: 'price' }],
    ['a/b:free:floor', { model: 'a/b:free', sort: 'price' }],
  ])('%s sorts the endpoints of the model', (name, variant) => {
    expect(readModelVariant(name, 'body.model')).toEqual(variant);
  });

  test.each(['a/b', 'a/b:free', 'a/b:Nitro', 'a/b:', ':nitro', 'nitro', 'a/b:constructor'])(
    '%s names no variant',
    (name) => {
      expect(readModelVariant(name, 'body.model')).toBeNull();
    },
  );

  test.each([
    [':online', 'web search'],
    [':thinking', 'set reasoning'],
    [':extended', 'context_length'],
    [':exacto', 'provider.order'],
    [':beta', 'moderation by the provider'],
  ])('fails and names an alternative: %s', (ending, words) => {
    const { issues } = refusalOf(`a/b${ending}`);
    const said = new RegExp(`^${ending} asks .*use a/b\\b`);
    expect(issues).toEqual([{ path: 'body.model', message: expect.stringMatching(said) }]);
    expect(issues![0]!.message).toContain(words);
  });
});
