import { describe, expect, test } from '@jest/globals';
import { answerCount, outputTokens } from '../../../../services/generations/pipeline/most-tokens.ts';

describe('the tokens that an answer may have', () => {
  test.each<[unknown[], number]>([
    [[], 1_024],
    [[undefined, null], 1_024],
    [[200], 200],
    [[200, 300], 300],
    [['400'], 400],
    [[1.5], 2],
    [[0, -5, NaN, '', 'many', true, {}], 1_024],
    [[Infinity], 1e9],
    [[1e300, 5], 1e9],
  ])('by the limits %p are %d', (limits, tokens) => {
    expect(outputTokens(...limits)).toBe(tokens);
  });

  test.each<[unknown, number]>([
    [undefined, 1],
    [null, 1],
    [8, 8],
    ['8', 8],
    [-1, 1],
    [{}, 1],
  ])('are asked for %p times as %d', (n, count) => {
    expect(answerCount(n)).toBe(count);
  });
});
