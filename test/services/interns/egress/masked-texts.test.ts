import { expect, test } from '@jest/globals';
import { maskedTexts } from '../../../../services/interns/egress/mask/masked-texts.ts';
import { createTextMask } from '../../../../services/interns/egress/mask/text-mask.ts';
import { parseHeaderTemplate, placeholdersOf } from '../../../../services/interns/egress/placeholders.ts';

const TRICKY = String.raw`p/w"<\> & 1`;
const templates = [
  parseHeaderTemplate('authorization', '{{basic:me:password}}')!,
  parseHeaderTemplate('x-key', '{{secret:key}}')!,
];
const used = [
  { name: 'password', value: TRICKY },
  { name: 'key', value: 'k1' },
];
const unused = [
  { name: 'other', value: 'other-value' },
  { name: 'short', value: 'word' },
];
const mask = createTextMask(maskedTexts(placeholdersOf(templates), used, unused));

test.each([
  ['the value', TRICKY],
  ['the value in JSON', JSON.stringify(TRICKY).slice(1, -1)],
  ['the value in JSON with escaped slashes', JSON.stringify(TRICKY).slice(1, -1).replaceAll('/', '\\/')],
  ['the value in JSON that is safe in HTML', String.raw`p/w\"\u003c\\\u003e \u0026 1`],
])('%s is masked', (_, written) => {
  expect(mask.replace(`<${written}>`)).toBe('<{{secret:password}}>');
});

test('the Basic credential is masked as such', () => {
  const token = Buffer.from(`me:${TRICKY}`).toString('base64');
  expect(mask.replace(`Basic ${token}`)).toBe('Basic {{basic:me:password}}');
});

test('a value that the request uses is masked however short it is', () => {
  expect(mask.replace('k=k1')).toBe('k={{secret:key}}');
});

test('other secrets for the host are masked unless they are as short as a word', () => {
  expect(mask.replace('other-value word')).toBe('{{secret:other}} word');
});
