import { describe, expect, test } from '@jest/globals';
import { checkRegex, compileRegex } from '../../../../services/broadcast/filters/regex.ts';

/** Words of seven letters that share no beginnings, so that each takes its full number of steps. */
const WORDS = Array.from({ length: 62 }, (_, n) =>
  `${String.fromCharCode(97 + (n % 26))}${n + 10}words`.slice(0, 7),
);

describe('checkRegex', () => {
  test.each([
    'error|warning',
    '^gpt-4[.o]',
    '(?i)refund',
    '\\pL{3,}',
    'x'.repeat(512),
    'fraud|'.repeat(85) + 'ab',
    `(?i)\\b(?:${WORDS.join('|')})\\b`,
    '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}',
    '^.{1,200}$',
    '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}',
  ])('accepts %s', (text) => {
    expect(checkRegex(text)).toBeNull();
    expect(text.length).toBeLessThanOrEqual(512);
  });

  test.each([
    ['a(', 'must be a regular expression in RE2 syntax: missing closing ): `a(`'],
    ['(?=a)', 'must be a regular expression in RE2 syntax: invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'must be a regular expression in RE2 syntax: invalid escape sequence: `\\1`'],
    ['x'.repeat(513), 'must not have more than 512 characters'],
    ['(a?){1000}b', 'must be a smaller regular expression: its repetitions are too large'],
    ['a.{520}b', 'must be a smaller regular expression: its repetitions are too large'],
  ])('refuses %s and says why', (text, message) => {
    expect(checkRegex(text)).toBe(message);
  });

  test('accepts (a+)+$, which compiles to a linear-time match', () => {
    const catastrophic = '(a+)+$';
    expect(checkRegex(catastrophic)).toBeNull();
    // A backtracking engine would not come back from this text.
    expect(compileRegex(catastrophic)(`${'a'.repeat(4_000)}!`)).toBe(false);
  });
});

describe('compileRegex', () => {
  test('matches anywhere in the text and is case-sensitive', () => {
    const matches = compileRegex('re(fund|turn)');
    expect(['I want a refund', 'no Refund', 'return', 'ref und'].map(matches)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  test('ignores the text after the first 4,096 characters', () => {
    const matches = compileRegex('end$|late');
    expect(matches(`${'x'.repeat(4_093)}end and more`)).toBe(true);
    expect(matches(`${'x'.repeat(4_093)}late`)).toBe(false);
  });

  test('gives correct answers when its memory for states overflows', () => {
    // Each character adds a state that is not remembered yet.
    const text = Array.from({ length: 4_000 }, (_, n) => ((n * n) % 7 < 3 ? 'a' : 'b')).join('');
    const matches = compileRegex('[ab]*a[ab]{400}c');
    expect([matches(text), matches(`${text}c`), matches(`a${'b'.repeat(400)}c`)]).toEqual([
      false,
      new RegExp('a[ab]{400}c').test(`${text}c`),
      true,
    ]);
  });

  test.each(['.{1000}'.repeat(70), 'a(', 'x'.repeat(513)])(
    'matches nothing when the expression is refused',
    (text) => {
      const [matches, other] = [compileRegex(text), compileRegex(`.|${text}`)];
      expect([matches('x'.repeat(4_000)), other('x')]).toEqual([false, false]);
    },
  );
});
