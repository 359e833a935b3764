import { expect, test } from '@jest/globals';
import { AppError } from '../../../domain/errors.ts';
import { refuseSprawl } from '../../../api/http/request/refuse-sprawl.ts';

function issueOf(body: unknown): unknown {
  try {
    refuseSprawl(body);
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error.options.issues : error;
  }
}

test('a list or object of more entries than any field takes is one issue that names it', () => {
  const many = Array.from({ length: 1_001 }, () => 0);
  const message = 'must have at most 1000 entries';
  expect(issueOf({ frame_images: many })).toEqual([{ path: 'body.frame_images', message }]);
  expect(issueOf({ provider: { options: { a: { list: many } } } })).toEqual([
    { path: 'body.provider.options.a.list', message },
  ]);
  expect(issueOf({ trace: Object.fromEntries(many.map((_, i) => [`k${i}`, 0])) })).toEqual([
    { path: 'body.trace', message },
  ]);
});

test('what fields take passes', () => {
  expect(issueOf({ frame_images: Array.from({ length: 1_000 }, () => ({ a: null })) })).toBeUndefined();
  expect(issueOf('text')).toBeUndefined();
  expect(issueOf(undefined)).toBeUndefined();
});

test('many small lists are as much as one long one', () => {
  const few = Array.from({ length: 1_000 }, () => ({}));
  const body = Array.from({ length: 400 }, () => few);
  expect(issueOf(body)).toEqual([{ path: 'body', message: 'must have at most 300000 objects and lists' }]);
});

test('what is nested without end is one issue', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
  expect(issueOf(deep)).toEqual([{ path: 'body', message: 'must not be nested deeper than 200 levels' }]);
});
