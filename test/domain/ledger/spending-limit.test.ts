import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ceilingsOf,
  countedUnder,
  isoDay,
  keyCeiling,
  leftUnder,
  periodStart,
  spendIn,
  type SpendingTerms,
  utcDay,
} from '../../../domain/ledger/spending-limit.ts';
import type { LimitReset } from '../../../domain/ceiling.ts';

const startOf = (reset: LimitReset, at: string): string => {
  const start = periodStart(reset, utcDay(Date.parse(at)));
  return start === null ? 'never' : isoDay(start);
};

describe('a spending period', () => {
  test.each([
    ['daily', '2026-01-04T23:59:59.999Z', '2026-01-04'],
    ['daily', '2026-01-05T00:00:00.000Z', '2026-01-05'],
    ['weekly', '2026-01-04T23:59:59.999Z', '2025-12-29'],
    ['weekly', '2026-01-05T00:00:00.000Z', '2026-01-05'],
    ['weekly', '2026-01-11T23:59:59.999Z', '2026-01-05'],
    ['monthly', '2026-02-28T23:59:59.999Z', '2026-02-01'],
    ['monthly', '2026-03-01T00:00:00.000Z', '2026-03-01'],
    ['monthly', '2028-02-29T12:00:00.000Z', '2028-02-01'],
  ] as const)('resets %s, and at %s has the start %s', (reset, at, start) => {
    expect(startOf(reset, at)).toBe(start);
  });

  test('begins at midnight UTC on a Monday, on the first of a month, or never', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (day) => {
        const monday = periodStart('weekly', day) ?? Number.NaN;
        const first = periodStart('monthly', day) ?? Number.NaN;
        expect(new Date(isoDay(monday)).getUTCDay()).toBe(1);
        expect(day - monday).toBeLessThan(7);
        expect(isoDay(first)).toBe(`${isoDay(day).slice(0, 7)}-01`);
        expect(periodStart('daily', day)).toBe(day);
        expect(periodStart('lifetime', day)).toBe(null);
      }),
    );
  });

  test('counts the usage of its own interval', () => {
    const usage = {
      usage: 1_000n,
      usageDaily: 1n,
      usageWeekly: 10n,
      usageMonthly: 100n,
      byokUsage: 2_000n,
      byokUsageDaily: 2n,
      byokUsageWeekly: 20n,
      byokUsageMonthly: 200n,
    };
    expect(spendIn('daily', usage)).toEqual({ usage: 1n, byok: 2n });
    expect(spendIn('weekly', usage)).toEqual({ usage: 10n, byok: 20n });
    expect(spendIn('monthly', usage)).toEqual({ usage: 100n, byok: 200n });
    expect(spendIn('lifetime', usage)).toEqual({ usage: 1_000n, byok: 2_000n });
  });
});

describe('ceilingsOf', () => {
  const free: SpendingTerms = {
    key: { limitNanos: null, limitReset: null, includeByokInLimit: false },
    creditEnforcement: false,
    budgets: [],
    includeByokInBudgets: false,
    alertThresholds: { workspace: [50], organization: [80] },
  };

  test('returns undefined when nothing limits the key', () => {
    expect(ceilingsOf(free)).toBeUndefined();
  });

  test("lists the key's limit, the credit and each budget, in this order", () => {
    const terms: SpendingTerms = {
      key: { limitNanos: 5n, limitReset: 'weekly', includeByokInLimit: true },
      creditEnforcement: true,
      budgets: [
        { interval: 'daily', limitNanos: 7n },
        { interval: 'lifetime', limitNanos: 9n },
      ],
      includeByokInBudgets: true,
      alertThresholds: { workspace: [50], organization: [80] },
    };
    const own = { includeByok: true, alertThresholds: [50] };
    expect(ceilingsOf(terms)).toEqual([
      { payer: 'key', interval: 'weekly', limit: 5n, ...own },
      {
        payer: 'organization',
        interval: 'lifetime',
        limit: 'credit',
        includeByok: false,
        alertThresholds: [80],
      },
      { payer: 'workspace', interval: 'daily', limit: 7n, ...own },
      { payer: 'workspace', interval: 'lifetime', limit: 9n, ...own },
    ]);
  });

  test('keeps a limit of zero as a ceiling', () => {
    expect(ceilingsOf({ ...free, key: { ...free.key, limitNanos: 0n } })).toHaveLength(1);
  });
});

test('the amount left is the limit less spending and reservations, with BYOK where it counts', () => {
  const counters = { spent: { usage: 10n, byok: 3n }, open: { usage: 20n, byok: 5n }, creditNanos: 1_000n };
  const apart = keyCeiling({ limitReset: null, includeByokInLimit: false }, 100n);
  expect(leftUnder(apart, counters)).toBe(70n);
  expect(leftUnder({ ...apart, includeByok: true }, counters)).toBe(62n);
  expect(leftUnder({ ...apart, limit: 'credit' }, counters)).toBe(970n);
  expect(leftUnder({ ...apart, limit: 15n }, counters)).toBe(-15n);
  expect(countedUnder(apart, { usage: 1n, byok: 2n })).toBe(1n);
  expect(countedUnder({ ...apart, includeByok: true }, { usage: 1n, byok: 2n })).toBe(3n);
});
