import { describe, expect, test } from '@jest/globals';
import { base64Forms, repeatedForms } from '../../../support/repeated-secret.ts';
import { excerptOf, secretsOf } from '../../../../services/broadcast/destinations/hide-secrets.ts';

function excerpt(text: string, config: Record<string, string>): string | undefined {
  return excerptOf(Buffer.from(text), secretsOf(config));
}

describe('the excerpt of a response', () => {
  test.each(repeatedForms('p"ä/ss word'))('hides a secret %s', (_how, echo) => {
    expect(excerpt(`denied: ${echo}!`, { password: 'p"ä/ss word' })).toBe('denied: [secret]!');
  });

  test.each(base64Forms('p"ä/ss word'))('hides a secret in %s', (_how, echo) => {
    expect(excerpt(echo, { password: 'p"ä/ss word' })).toMatch(/^[\w+/-]{0,3}\[secret\][\w+/-]{0,4}={0,2}$/);
  });

  test('hides the longer of two secrets that begin alike', () => {
    const config = { publicKey: 'key-1', secretKey: 'key-1-and-more' };
    expect(excerpt('key-1-and-more', config)).toBe('[secret]');
  });

  test('hides the key within a DSN', () => {
    expect(excerpt('unknown key abcdef', { dsn: 'https://abcdef@o1.sentry.io/1' })).toBe(
      'unknown key [secret]',
    );
  });

  test.each([
    ['the path and the query', 'Cannot POST /in/T0/Xk3v0123?a=b', 'Cannot POST [secret]'],
    ['the path', 'Cannot POST /in/T0/Xk3v0123!', 'Cannot POST [secret]!'],
    ['a segment', 'unknown token Xk3v0123', 'unknown token [secret]'],
  ])('hides %s of a URL', (_what, echo, shown) => {
    expect(excerpt(echo, { url: 'https://app.example/in/T0/Xk3v0123?a=b' })).toBe(shown);
  });

  test('hides a URL value in decoded form, and one with invalid encoding', () => {
    const url = 'https://app.example/?a=Xk3v%2F01%3D23&b=100%-secret';
    expect(excerpt('denied: Xk3v/01=23, 100%-secret', { url })).toBe('denied: [secret], [secret]');
  });

  test('keeps short parts of a URL and path segments that a vendor documents', () => {
    const text = 'openrouter: no hooks within integration';
    const url = 'https://app.example/hooks/openrouter/integration';
    expect(excerpt(text, { url })).toBe(text);
  });

  test('keeps configuration that is no secret', () => {
    expect(excerpt('no database logs', { database: 'logs', password: 'hidden' })).toBe('no database logs');
  });

  test('leaves out a secret that is cut off at the end', () => {
    expect(excerpt('denied: long-sec', { apiKey: 'long-secret' })).toBe('denied: ');
  });

  test('leaves out characters that a database cannot hold', () => {
    expect(excerpt('a\0b\u0007c\n', {})).toBe('abc\n');
  });

  test('ends at a whole character', () => {
    expect(excerpt(`x${'é'.repeat(1_000)}`, {})).toBe(`x${'é'.repeat(511)}`);
  });

  test('stays undefined for an empty response', () => {
    expect(excerpt('', {})).toBeUndefined();
  });
});
