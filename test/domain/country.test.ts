import { describe, expect, test } from '@jest/globals';
import { parseCountry } from '../../domain/country.ts';

describe('a country', () => {
  test.each([
    ['DE', 'DE'],
    ['us', 'US'],
    ['Gb', 'GB'],
  ])('%s is %s', (text, code) => {
    expect(parseCountry(text)).toBe(code);
  });

  // What proxies send for an unknown client and for Tor, and what clients might.
  test.each(['', 'XX', 'T1', 'UK', 'EU', 'DEU', 'D', ' DE', 'DE, US', '49', 'ZZ', 'ß'])(
    '%j is none',
    (text) => {
      expect(parseCountry(text)).toBeUndefined();
    },
  );
});
