import { describe, expect, test } from '@jest/globals';
import { spellingsOf } from '../../platform/secret-spellings.ts';
import { base64Forms, repeatedForms } from '../support/repeated-secret.ts';

/** A secret with every character that some encoding changes, and one that is only letters and digits. */
const SECRETS = [`Sk-9a/b+c=d"e'f<g>h&i\`j~k!(l)*m n\\`, 'sk0Abcdefghijk0123456789Zyx'];

function without(text: string, secret: string): string {
  return spellingsOf(secret).reduce((rest, spelling) => rest.replaceAll(spelling, '#'), text);
}

describe.each(SECRETS)('the spellings of %s', (secret) => {
  test.each(repeatedForms(secret))('find the secret %s', (_, form) => {
    expect(without(`<${form}>`, secret)).toBe('<#>');
  });

  test.each(base64Forms(secret))(
    'find the secret in %s, but for the characters that base64 shares',
    (_, form) => {
      expect(without(form, secret)).toMatch(/^[\w+/-]{0,3}#[\w+/-]{0,4}={0,2}$/);
    },
  );

  test('differ from each other, the longest first', () => {
    const lengths = spellingsOf(secret).map(({ length }) => length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
    expect(new Set(spellingsOf(secret)).size).toBe(lengths.length);
  });
});

test('a short secret is searched only as it is and escaped', () => {
  expect(spellingsOf('Key')).toEqual(['Key']);
  expect(spellingsOf('a/b')).toEqual(expect.arrayContaining(['a/b', 'a%2Fb', 'a&#x2F;b', 'a\\/b']));
  expect(spellingsOf('')).toEqual([]);
});
