import { describe, expect, test } from '@jest/globals';
import { checkRegex, compileRegex } from '../../../services/broadcast/filters/regex.ts';

describe('the check of a regular expression', () => {
  test.each(['error|warning', '^gpt-4[.o]', '(?i)refund', '\\pL{3,}', 'x'.repeat(512)])(
    'accepts %s',
    (text) => {
      expect(checkRegex(text)).toBeNull();
    },
  );

  test.each([
    ['a(', 'must be a regular expression in RE2 syntax: missing closing ): `a(`'],
    ['(?=a)', 'must be a regular expression in RE2 syntax: invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'must be a regular expression in RE2 syntax: invalid escape sequence: `\\1`'],
    ['x'.repeat(513), 'must not have more than 512 characters'],
    ['(a?){1000}b', 'must be a smaller regular expression: its repetitions are too large'],
  ])('refuses %s and says why', (text, message) => {
    expect(checkRegex(text)).toBe(message);
  });

  test('leaves only expressions whose time grows with the length of the text alone', () => {
    const catastrophic = '(a+)+$';
    expect(checkRegex(catastrophic)).toBeNull();
    // A backtracking engine would not come back from this text.
    expect(compileRegex(catastrophic)(`${'a'.repeat(4_000)}!`)).toBe(false);
  });
});
