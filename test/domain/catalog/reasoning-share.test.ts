import { describe, expect, test } from '@jest/globals';
import { REASONING_EFFORTS } from '../../../domain/catalog/model-facts.ts';
import { budgetOfEffort, effortOfBudget, reasonsBy } from '../../../domain/catalog/reasoning-share.ts';

describe('reasonsBy', () => {
  test.each([
    ['tokens, where it takes them and no effort', { supportsMaxTokens: true }, 'tokens'],
    [
      'tokens, where its efforts are whatever a gateway makes of them',
      { supportsMaxTokens: true, supportedEfforts: null },
      'tokens',
    ],
    ['an effort, where it takes some and no tokens', { supportedEfforts: ['high' as const] }, 'effort'],
    ['either', { supportsMaxTokens: true, supportedEfforts: ['high' as const] }, undefined],
    ['what nobody stated', {}, undefined],
  ])('returns the way in which a model reasons: %s', (_what, facts, by) => {
    expect(reasonsBy({ mandatory: false, ...facts })).toBe(by);
  });

  test.each([null, undefined])('returns undefined for %s', (facts) => {
    expect(reasonsBy(facts)).toBeUndefined();
  });
});

describe('a reasoning effort', () => {
  test('takes a share of the requested answer length, or of the usual one', () => {
    expect(budgetOfEffort('high', 10_000)).toBe(8_000);
    expect(budgetOfEffort('medium', undefined)).toBe(16_000);
  });

  test.each(['constructor', 5, undefined, {}])('counts as medium when it is unknown: %j', (effort) => {
    expect(budgetOfEffort(effort, 100)).toBe(50);
  });

  test('has at least the budget of a lower effort', () => {
    const budgets = REASONING_EFFORTS.filter((effort) => effort !== 'none').map((effort) =>
      budgetOfEffort(effort, 1_000),
    );
    expect(budgets).toEqual(budgets.toSorted((a, b) => b - a));
  });

  test.each(['high', 'medium', 'low'] as const)('maps to a budget that maps back: %s', (effort) => {
    for (const maxTokens of [4_096, undefined])
      expect(effortOfBudget(budgetOfEffort(effort, maxTokens), maxTokens)).toBe(effort);
  });
});
