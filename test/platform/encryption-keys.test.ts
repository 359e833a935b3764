import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import {
  holdsLaptopKey,
  LAPTOP_ENCRYPTION_KEYS,
  parseEncryptionKeys,
} from '../../platform/encryption-keys.ts';

const first = randomBytes(32);
const second = randomBytes(32);
const entry = (id: string, key: Buffer) => `${id}:${key.toString('base64')}`;

test('parseEncryptionKeys reads keys in order, the first as the current one', () => {
  const { currentKeyId, keys } = parseEncryptionKeys(`${entry('2026b', second)}, ${entry('2026a', first)}`);
  expect(currentKeyId).toBe('2026b');
  expect([...keys]).toEqual([
    ['2026b', second],
    ['2026a', first],
  ]);
});

describe('an invalid list of encryption keys', () => {
  test.each([
    ['no key', ''],
    ['a key without an id', first.toString('base64')],
    ['an empty id', entry('', first)],
    ['an id with a dot', entry('a.b', first)],
    ['16 bytes', `a:${first.subarray(0, 16).toString('base64')}`],
    ['33 bytes', `a:${Buffer.concat([first, Buffer.of(1)]).toString('base64')}`],
    ['hex', `a:${first.toString('hex')}`],
    ['all zeros', entry('a', Buffer.alloc(32))],
    ['an id twice', `${entry('a', first)},${entry('a', second)}`],
    ['a dangling comma', `${entry('a', first)},`],
  ])('causes a TypeError: %s', (_what, text) => {
    expect(() => parseEncryptionKeys(text)).toThrow(TypeError);
  });

  test('causes an error that does not repeat the secret text', () => {
    expect(() => parseEncryptionKeys(`${entry('a', first)},b:c2VjcmV0`)).toThrow(
      'entry 2 is not <id>:<base64 of exactly 32 bytes>',
    );
  });
});

describe('holdsLaptopKey', () => {
  const [laptop] = parseEncryptionKeys(LAPTOP_ENCRYPTION_KEYS).keys.values();
  if (laptop === undefined) throw new Error('the laptop has no key');

  test('recognizes the laptop key under any id and in any place', () => {
    expect(holdsLaptopKey(parseEncryptionKeys(LAPTOP_ENCRYPTION_KEYS))).toBe(true);
    expect(holdsLaptopKey(parseEncryptionKeys(`${entry('a', first)},${entry('b', laptop)}`))).toBe(true);
  });

  test('returns false for a list without the laptop key', () => {
    expect(holdsLaptopKey(parseEncryptionKeys(entry('laptop', first)))).toBe(false);
  });
});
