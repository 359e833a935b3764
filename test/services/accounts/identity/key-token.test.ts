import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { hashToken, isTokenShaped, newToken } from '../../../../services/accounts/identity/key-token.ts';

describe('a new key', () => {
  test('has 256 random bits behind its prefix, a hash and a hiding label', () => {
    const { token, hash, label } = newToken();
    expect(token).toMatch(/^sk-slc-[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(token.slice(7), 'base64url')).toHaveLength(32);
    expect(hash).toBe(createHash('sha256').update(token).digest('hex'));
    expect(label).toBe(`${token.slice(0, 10)}...${token.slice(-4)}`);
    expect(isTokenShaped(token)).toBe(true);
  });

  test('differs from a thousand others', () => {
    const tokens = Array.from({ length: 1_000 }, () => newToken().token);
    expect(new Set(tokens).size).toBe(1_000);
  });
});

test('a hash of a token is lower-case hex and differs for another token', () => {
  expect(hashToken('sk-slc-a')).toMatch(/^[0-9a-f]{64}$/);
  expect(hashToken('sk-slc-a')).not.toBe(hashToken('sk-slc-A'));
});

test.each([
  '',
  'sk-slc-',
  `sk-slc-${'a'.repeat(42)}`,
  `sk-slc-${'a'.repeat(44)}`,
  `sk-slc-${'a'.repeat(42)}+`,
  `sk-slc-${'a'.repeat(43)}\n`,
  ` sk-slc-${'a'.repeat(43)}`,
  `SK-SLC-${'a'.repeat(43)}`,
])('%j cannot be a key', (text) => {
  expect(isTokenShaped(text)).toBe(false);
});
