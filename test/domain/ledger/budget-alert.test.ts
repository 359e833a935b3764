import { describe, expect, test } from '@jest/globals';
import {
  type BudgetAlert,
  budgetEventId,
  periodSpending,
  reachedThresholds,
} from '../../../domain/ledger/budget-alert.ts';
import { periodEnd, utcDay } from '../../../domain/ledger/spending-limit.ts';
import { type Ceiling, CREDIT_CEILING } from '../../../domain/ceiling.ts';

const KEY: Ceiling = { payer: 'key', interval: 'lifetime', limit: 100n, includeByok: false };
const NOTHING = { usage: 0n, byok: 0n };
const counters = { spent: { usage: 40n, byok: 7n }, creditNanos: 0n };
const day = (at: string): number => utcDay(Date.parse(at));

describe('periodSpending', () => {
  test('counts committed amounts only, without the reservations of open jobs', () => {
    const all = { ...counters, open: { usage: 1_000n, byok: 0n } };
    expect(periodSpending(KEY, null, all)).toMatchObject({ spent: 40n, limit: 100n });
  });

  test('includes BYOK spending only if the limit counts it', () => {
    expect(periodSpending({ ...KEY, includeByok: true }, null, counters)?.spent).toBe(47n);
    const lastCredit = { id: 'e1', addedAt: new Date(0), usedNanos: 0n };
    const bought = { ...counters, creditNanos: 100n, lastCredit };
    expect(periodSpending(CREDIT_CEILING, null, bought)?.spent).toBe(40n);
  });

  test.each([
    ['daily', '2026-03-31', 'daily-2026-03-31', '2026-04-01'],
    ['weekly', '2026-03-30', 'weekly-2026-03-30', '2026-04-06'],
    ['monthly', '2026-12-01', 'monthly-2026-12-01', '2027-01-01'],
    ['monthly', '2028-02-01', 'monthly-2028-02-01', '2028-03-01'],
  ] as const)('yields for a %s limit since %s the period %s until %s', (interval, start, name, end) => {
    expect(periodSpending({ ...KEY, interval }, day(start), counters)).toEqual({
      period: name,
      startsAt: new Date(start),
      endsAt: new Date(end),
      spent: 40n,
      limit: 100n,
    });
  });

  test("keeps the period's name when the amount of a resetting limit changes", () => {
    const named = (limit: bigint) =>
      periodSpending({ ...KEY, interval: 'daily', limit }, 3, counters)?.period;
    expect(named(100n)).toBe(named(200n));
  });

  test('names a period without reset after its limit and gives it no times', () => {
    expect(periodSpending(KEY, null, counters)).toMatchObject({
      period: 'limit-100',
      startsAt: null,
      endsAt: null,
    });
    expect(periodSpending({ ...KEY, limit: 200n }, null, counters)?.period).toBe('limit-200');
  });

  test('starts a credit period at the last entry, limited by the balance right after it', () => {
    const addedAt = new Date('2026-01-02T03:04:05Z');
    const bought = { ...counters, creditNanos: 130n, lastCredit: { id: 'e2', addedAt, usedNanos: 30n } };
    expect(periodSpending(CREDIT_CEILING, null, bought)).toEqual({
      period: 'credit-e2',
      startsAt: addedAt,
      endsAt: null,
      spent: 10n,
      limit: 100n,
    });
  });

  test('returns null for a zero limit, an empty balance and credit that nobody bought', () => {
    const spentAll = {
      ...counters,
      creditNanos: 30n,
      lastCredit: { id: 'e', addedAt: new Date(0), usedNanos: 30n },
    };
    expect(periodSpending({ ...KEY, limit: 0n }, null, counters)).toBeNull();
    expect(periodSpending(CREDIT_CEILING, null, spentAll)).toBeNull();
    expect(periodSpending(CREDIT_CEILING, null, { ...counters, spent: NOTHING })).toBeNull();
  });
});

describe('reachedThresholds', () => {
  test.each([
    [49n, []],
    [50n, [50]],
    [79n, [50]],
    [80n, [50, 80]],
    [99n, [50, 80]],
    [100n, [50, 80, 100]],
    [1_000n, [50, 80, 100]],
  ])('compares to the nanodollar: %d of 100', (spent, reached) => {
    expect(reachedThresholds([50, 80, 100], { spent, limit: 100n })).toEqual(reached);
  });

  test('never rounds a percentage, and returns thresholds in ascending order', () => {
    expect(reachedThresholds([80, 50], { spent: 1n, limit: 3n })).toEqual([]);
    expect(reachedThresholds([80, 50], { spent: 2n, limit: 3n })).toEqual([50]);
    expect(reachedThresholds([80, 50], { spent: 3n, limit: 3n })).toEqual([50, 80]);
  });
});

test('the id of a budget event depends on payer, period and threshold alone', () => {
  const alert: BudgetAlert = {
    payer: 'workspace',
    shownId: 'w1',
    workspaceId: 'w1',
    interval: 'daily',
    threshold: 80,
    period: 'daily-2026-01-01',
    startsAt: null,
    endsAt: null,
    spent: 1n,
    limit: 1n,
    at: new Date(0),
  };
  expect(budgetEventId(alert)).toBe('budget-workspace-w1-daily-2026-01-01-80');
  expect(budgetEventId({ ...alert, spent: 2n, limit: 2n, at: new Date(1) })).toBe(budgetEventId(alert));
  const others = [
    { threshold: 100 },
    { period: 'daily-2026-01-02' },
    { shownId: 'w2' },
    { payer: 'key' as const },
  ];
  expect(new Set(others.map((other) => budgetEventId({ ...alert, ...other }))).size).toBe(others.length);
});

test.each([
  ['daily', '2026-02-28', '2026-03-01'],
  ['weekly', '2025-12-29', '2026-01-05'],
  ['monthly', '2026-01-01', '2026-02-01'],
  ['monthly', '2025-12-01', '2026-01-01'],
] as const)('a %s period that begins on %s ends on %s', (interval, start, end) => {
  expect(periodEnd(interval, day(start))).toBe(day(end));
});
