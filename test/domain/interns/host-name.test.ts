import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseHostName } from '../../../domain/interns/host-name.ts';

const LONGEST = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;

const NAMES: [text: string, name: string][] = [
  ['api.example.com', 'api.example.com'],
  ['API.Example.COM', 'api.example.com'],
  ['api.example.com.', 'api.example.com'],
  ['localhost', 'localhost'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['1.example', '1.example'],
  ['1-2.3com', '1-2.3com'],
  ['0xyz', '0xyz'],
  [LONGEST, LONGEST],
  [`${LONGEST}.`, LONGEST],
];

const REFUSED = [
  '',
  '.',
  '..',
  'a..b',
  'example.com..',
  '.example.com',
  '*.example.com',
  'https://example.com',
  'example.com:443',
  'example.com/',
  'user@example.com',
  'bücher.example',
  '\u212aelvin.example',
  'example。com',
  'a_b.example',
  '-a.example',
  'a-.example',
  ' example.com',
  'example.com\n',
  '%65xample.com',
  '10.0.0.1',
  '10.0.0.1.',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0X7F',
  '0x',
  '127.1',
  'example.10',
  'example.0x1f',
  '[::1]',
  '::1',
  `${'a'.repeat(64)}.example`,
  `${LONGEST}d`,
  'a.'.repeat(100_000),
];

describe('parseHostName', () => {
  test.each(NAMES)('reads %s', (text, name) => {
    expect(parseHostName(text)).toBe(name);
  });

  test('refuses everything except exact DNS names in ASCII', () => {
    expect(REFUSED.filter((text) => parseHostName(text) !== undefined)).toEqual([]);
  });

  test('returns its own results unchanged, and agrees with URL', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'Z', '0', '9', '-', '.', 'x', 'f', 'n'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, (host) => {
        const name = parseHostName(host);
        // A URL refuses `xn--` before what is no Punycode.
        if (name === undefined || name.includes('xn--')) return;
        expect(parseHostName(name)).toBe(name);
        expect(new URL(`https://${host}`).hostname.replace(/\.$/, '')).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });
});
