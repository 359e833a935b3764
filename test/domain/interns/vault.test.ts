import { describe, expect, test } from '@jest/globals';
import { isSecretName } from '../../../domain/interns/vault.ts';

const GOOD = ['a', 'stripe_key', 'k2', 'a_1_b', 'a'.repeat(255)];
const BAD = [
  '',
  '_a',
  '1a',
  'a_',
  'a__b',
  'A',
  'stripe-key',
  'a b',
  'ключ',
  'a\n',
  'a.b',
  'a'.repeat(256),
  `${'a_'.repeat(50_000)}`,
];

describe('isSecretName', () => {
  test('accepts lower-case letters, digits and single underscores after a letter', () => {
    expect(GOOD.filter((name) => !isSecretName(name))).toEqual([]);
  });

  test('refuses upper case, other characters, misplaced underscores and more than 255 characters', () => {
    expect(BAD.filter(isSecretName)).toEqual([]);
  });
});
