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
