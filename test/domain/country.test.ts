import { describe, expect, test } from '@jest/globals';
import { parseCountry } from '../../domain/country.ts';

describe('parseCountry', () => {
  test.each([
    ['DE', 'DE'],
    ['us', 'US'],
    ['Gb', 'GB'],
  ])('reads %s as %s', (text, code) => {
    expect(parseCountry(text)).toBe(code);
  });

  // What proxies send for an unknown client and for Tor, and what clients might.
  test.each(['', 'XX', 'T1', 'UK', 'EU', 'DEU', 'D', ' DE', 'DE, US', '49', 'ZZ', 'ß'])(
    'returns undefined for %j',
    (text) => {
      expect(parseCountry(text)).toBeUndefined();
    },
  );
});
