import { describe, expect, test } from '@jest/globals';
import { type DayWindow, PUBLIC_ORIGIN, resolveWindow } from '../../../domain/insights/rankings.ts';

describe('resolveWindow', () => {
  const now = new Date('2026-03-01T00:00:00Z');
  const windowOf = (asked: Partial<DayWindow>): string => {
    const { startDate, endDate } = resolveWindow(asked, now);
    return `${startDate} ${endDate}`;
  };

  test.each<[string, Partial<DayWindow>, string]>([
    ['ends yesterday and begins 30 days before that', {}, '2026-01-29 2026-02-28'],
    [
      'equals the requested days',
      { startDate: '2026-02-01', endDate: '2026-02-03' },
      '2026-02-01 2026-02-03',
    ],
    ['begins 30 days before the requested end', { endDate: '2026-02-03' }, '2026-01-04 2026-02-03'],
    ['ends yesterday when a later end is requested', { endDate: '2026-03-01' }, '2026-01-29 2026-02-28'],
    ['begins with the dataset', { startDate: '1999-12-31', endDate: '2025-01-01' }, '2025-01-01 2025-01-01'],
    ['begins with the dataset, by default, too', { endDate: '2025-01-05' }, '2025-01-01 2025-01-05'],
    ['begins after its end when it lies in the future', { startDate: '2026-03-01' }, '2026-03-01 2026-02-28'],
  ])('returns a window that %s', (_name, asked, expected) => {
    expect(windowOf(asked)).toBe(expected);
  });

  test('the default window ends with the last day that is over in UTC', () => {
    const beforeMidnight = new Date('2026-02-28T23:59:59.999Z');
    expect(resolveWindow({}, beforeMidnight).endDate).toBe('2026-02-27');
  });
});

describe('PUBLIC_ORIGIN', () => {
  const isPublic = (origin: string): boolean => new RegExp(PUBLIC_ORIGIN).test(origin);

  test.each(['https://app.example', 'http://chat.app.example:8443', 'https://xn--bcher-kva.example'])(
    'matches %s',
    (origin) => {
      expect(isPublic(origin)).toBe(true);
    },
  );

  test.each([
    'http://localhost:3000',
    'https://intranet',
    'https://wiki.corp',
    'https://wiki.corp:8443',
    'https://printer.local',
    'https://app.internal',
    'http://10.0.0.7',
    'http://10.0.0.7:8080',
    'http://[fd00::1]:8080',
    'chrome-extension://app.example',
  ])('rejects %s', (origin) => {
    expect(isPublic(origin)).toBe(false);
  });
});
