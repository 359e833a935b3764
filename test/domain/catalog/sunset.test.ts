import { describe, expect, test } from '@jest/globals';
import { sunsetOf } from '../../../domain/catalog/sunset.ts';
import { createSunsetNotices } from '../../../services/catalog/sunset-notices.ts';

describe('the sunset of a model', () => {
  test('ends its last day, and is announced 30 days before', () => {
    expect(sunsetOf('2027-01-31')).toEqual({
      expirationDate: '2027-01-31',
      announcedAtMs: Date.parse('2027-01-02T00:00:00Z'),
      header: 'Mon, 01 Feb 2027 00:00:00 GMT',
    });
    expect(sunsetOf(null)).toBeUndefined();
  });
});

describe('sunset notices', () => {
  const sunset = sunsetOf('2027-01-31');

  test.each([
    ['no header before the last 30 days', '2027-01-01T23:59:59.999Z', undefined],
    ['the header in the last 30 days', '2027-01-02T00:00:00Z', 'Mon, 01 Feb 2027 00:00:00 GMT'],
    ['the header after the sunset', '2027-03-01T00:00:00Z', 'Mon, 01 Feb 2027 00:00:00 GMT'],
  ])('returns %s', (_what, at, header) => {
    const notices = createSunsetNotices({ warn: () => {} }, () => Date.parse(at));
    expect(notices.headerFor({ id: 'a/old', sunset })).toBe(header);
    expect(notices.headerFor({ id: 'a/stays' })).toBeUndefined();
  });

  test('logs each model once a day', () => {
    const logged: unknown[] = [];
    let at = '2027-01-10T10:00:00Z';
    const notices = createSunsetNotices({ warn: (facts: unknown) => void logged.push(facts) }, () =>
      Date.parse(at),
    );
    notices.headerFor({ id: 'a/old', sunset });
    notices.headerFor({ id: 'a/old', sunset });
    notices.headerFor({ id: 'a/older', sunset });
    at = '2027-01-11T00:00:00Z';
    notices.headerFor({ id: 'a/old', sunset });
    const [expirationDate] = [sunset?.expirationDate];
    expect(logged).toEqual(['a/old', 'a/older', 'a/old'].map((model) => ({ model, expirationDate })));
  });
});
