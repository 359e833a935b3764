import { describe, expect, test } from '@jest/globals';
import { excerptOf, secretsOf } from '../../../../services/broadcast/destinations/hide-secrets.ts';

function excerpt(text: string, config: Record<string, string>): string | undefined {
  return excerptOf(Buffer.from(text), secretsOf(config));
}

describe('the excerpt of an answer', () => {
  test.each([
    ['as it is', 'p"ä/ss word', 'p"ä/ss word'],
    ['within JSON', 'p"ä/ss word', 'p\\"ä/ss word'],
    ['within a URL', 'p"ä/ss word', 'p%22%C3%A4%2Fss%20word'],
  ])('hides a secret %s', (_how, password, echo) => {
    expect(excerpt(`denied: ${echo}!`, { password })).toBe('denied: [secret]!');
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

  test('keeps short words of a URL, and those that a tool documents', () => {
    const text = 'openrouter: no hooks within integration';
    const url = 'https://app.example/hooks/openrouter/integration';
    expect(excerpt(text, { url })).toBe(text);
  });

  test('keeps what is no secret', () => {
    expect(excerpt('no database logs', { database: 'logs', password: 'hidden' })).toBe('no database logs');
  });

  test('leaves out the beginning of a secret at the end', () => {
    expect(excerpt('denied: long-sec', { apiKey: 'long-secret' })).toBe('denied: ');
  });

  test('leaves out characters that a database cannot hold', () => {
    expect(excerpt('a\0b\u0007c\n', {})).toBe('abc\n');
  });

  test('does not end within a character', () => {
    expect(excerpt(`x${'é'.repeat(1_000)}`, {})).toBe(`x${'é'.repeat(511)}`);
  });

  test('is absent for an empty answer', () => {
    expect(excerpt('', {})).toBeUndefined();
  });
});
