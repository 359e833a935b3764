import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type PlanPart, planParts } from '../../../domain/insights/analytics-plan.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BY_MODEL = { dimensions: ['model' as const], filters: [] };

const range = (start: string, end: string) => ({ start: new Date(start), end: new Date(end) });
const shown = (parts: PlanPart[]): string[] =>
  parts.map(({ source, start, end }) => `${source} ${start.toISOString()} ${end.toISOString()}`);

describe('the plan of a query', () => {
  test('takes whole days and hours from the rollups, and the edges from the rows', () => {
    const parts = planParts(BY_MODEL, range('2026-01-30T22:59:30Z', '2026-02-02T01:15:00Z'));
    expect(shown(parts)).toEqual([
      'rows 2026-01-30T22:59:30.000Z 2026-01-30T23:00:00.000Z',
      'hours 2026-01-30T23:00:00.000Z 2026-01-31T00:00:00.000Z',
      'days 2026-01-31T00:00:00.000Z 2026-02-02T00:00:00.000Z',
      'hours 2026-02-02T00:00:00.000Z 2026-02-02T01:00:00.000Z',
      'rows 2026-02-02T01:00:00.000Z 2026-02-02T01:15:00.000Z',
    ]);
  });

  test('reads nothing but days for a range of whole days', () => {
    const parts = planParts(
      { ...BY_MODEL, granularity: 'month' },
      range('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'),
    );
    expect(shown(parts)).toEqual(['days 2026-01-01T00:00:00.000Z 2027-01-01T00:00:00.000Z']);
  });

  test.each<[string, Partial<Parameters<typeof planParts>[0]>]>([
    ['minutes', { granularity: 'minute' }],
    ['a dimension that rollups do not have', { dimensions: ['country'] }],
    [
      'a filter on one',
      { filters: [{ field: 'status', operator: 'eq', value: 'failed', includeUnset: false }] },
    ],
    ['tags', { classifier: { id: 'x', filters: [] } }],
  ])('reads only the rows for %s', (_what, change) => {
    const whole = range('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z');
    expect(planParts({ ...BY_MODEL, ...change }, whole)).toEqual([{ source: 'rows', ...whole }]);
  });

  test('covers each moment of the range once, with whole hours and days only', () => {
    const times = fc.integer({
      min: Date.parse('2025-12-20T00:00:00Z'),
      max: Date.parse('2026-01-10T00:00:00Z'),
    });
    const granularity = fc.constantFrom('hour' as const, 'day' as const, 'week' as const);
    fc.assert(
      fc.property(times, times, granularity, (a, b, unit) => {
        fc.pre(a !== b);
        const [start, end] = [new Date(Math.min(a, b)), new Date(Math.max(a, b))];
        const parts = planParts({ ...BY_MODEL, granularity: unit }, { start, end });
        expect(parts[0]?.start).toEqual(start);
        expect(parts.at(-1)?.end).toEqual(end);
        for (const [n, part] of parts.entries()) {
          expect(part.start < part.end).toBe(true);
          if (n > 0) expect(part.start).toEqual(parts[n - 1]!.end);
          const unitMs = { rows: 1, hours: HOUR_MS, days: DAY_MS }[part.source];
          expect([Number(part.start) % unitMs, Number(part.end) % unitMs]).toEqual([0, 0]);
          if (part.source === 'rows') expect(Number(part.end) - Number(part.start)).toBeLessThan(2 * HOUR_MS);
          if (part.source === 'days') expect(unit).not.toBe('hour');
        }
      }),
    );
  });
});
