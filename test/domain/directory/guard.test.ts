import { expect, test } from '@jest/globals';
import { isTooMany } from '../../../domain/directory/guard.ts';

test.each([
  ['none of none', 0, 0, false],
  ['all of a few', 10, 10, false],
  ['one more than a few, and more than a fifth', 11, 54, true],
  ['one more than a few, exactly a fifth', 11, 55, false],
  ['a fifth of many', 500, 2_500, false],
  ['more than a fifth of many', 500, 2_499, true],
  ['the most, of a large directory', 500, 100_000, false],
  ['one more than the most, of a large directory', 501, 100_000, true],
])('the guard judges %s: %i removed of %i', (_what, removed, managed, isJudgedTooMany) => {
  expect(isTooMany({ removed, managed })).toBe(isJudgedTooMany);
});
