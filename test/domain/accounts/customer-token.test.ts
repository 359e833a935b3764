import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { CUSTOMER_TOKEN_PATTERN, looksRandom } from '../../../domain/accounts/customer-token.ts';

describe('a token that a customer chooses', () => {
  test('looks random when it is a hash of 32 characters or a UUID', () => {
    for (let n = 0; n < 500; n += 1) {
      const token = createHash('sha256').update(`${n}`).digest('hex').slice(0, 32);
      expect([token, looksRandom(token)]).toEqual([token, true]);
    }
    expect(looksRandom(crypto.randomUUID())).toBe(true);
  });

  const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
  test.each([
    'a'.repeat(256),
    'ab'.repeat(40),
    'password'.repeat(4),
    '0'.repeat(31) + '1',
    ALPHABET,
    ALPHABET.split('').toReversed().join(''),
    '0123456789abcdef'.repeat(2),
  ])('fails the check for randomness when it repeats a pattern or counts up: %s', (token) => {
    expect(looksRandom(token)).toBe(false);
  });

  test.each([
    ['x'.repeat(31), false],
    ['x'.repeat(32), true],
    ['x'.repeat(256), true],
    ['x'.repeat(257), false],
    [`sk-slc-${'x'.repeat(43)}`, false],
    [`scim-slc-${'x'.repeat(43)}`, false],
    [`SK-slc-${'x'.repeat(43)}`, false],
    [`${'x'.repeat(32)} `, false],
    [`${'x'.repeat(32)}\n`, false],
    [`${'x'.repeat(31)}é`, false],
  ])('matches the pattern by its form: %j, %s', (token, isOne) => {
    expect(CUSTOMER_TOKEN_PATTERN.test(token)).toBe(isOne);
  });
});
