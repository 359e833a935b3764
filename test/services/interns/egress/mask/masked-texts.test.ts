import { describe, expect, test } from '@jest/globals';
import { addTexts, createLayers, maskOf } from '../../../../../services/interns/egress/mask/mask-layers.ts';
import {
  textsOfCredentials,
  textsOfValues,
} from '../../../../../services/interns/egress/mask/masked-texts.ts';
import { parseHeaderTemplate, placeholdersOf } from '../../../../../services/interns/egress/placeholders.ts';
import { base64Forms, repeatedForms } from '../../../../support/repeated-secret.ts';

const TRICKY = String.raw`p/w"<\> & 1`;
const templates = [
  parseHeaderTemplate('authorization', '{{basic:me:password}}')!,
  parseHeaderTemplate('x-key', '{{secret:key}}')!,
];
const secrets = [
  { name: 'pasted', value: ' \tpasted value \t', scope: 'workspace' },
  { name: 'password', value: TRICKY, scope: 'workspace' },
  { name: 'key', value: 'k1', scope: 'intern' },
] as const;
const layers = createLayers(textsOfValues(secrets));
const mask = maskOf(addTexts(layers, textsOfCredentials(placeholdersOf(templates), secrets)));

test.each([
  ['the value', TRICKY],
  ['the value in JSON', JSON.stringify(TRICKY).slice(1, -1)],
  ['the value in JSON with escaped slashes', JSON.stringify(TRICKY).slice(1, -1).replaceAll('/', '\\/')],
  ['the value in JSON that is safe in HTML', String.raw`p/w\"\u003c\\\u003e \u0026 1`],
])('the mask covers %s', (_, written) => {
  expect(mask.replace(`<${written}>`)).toBe('<{{secret:password}}>');
});

test.each([
  ['+', String.raw`a\u002Bb`],
  [`'`, String.raw`a\u0027b`],
  ['"', String.raw`a\u0022b`],
  ['`', String.raw`a\u0060b`],
  ['<', String.raw`a\u003Cb`],
  ['\\', String.raw`a\\b`],
])('a value with %s as .NET writes it in JSON is masked', (character, written) => {
  const value = `a${character}b`;
  const dotNet = createLayers(textsOfValues([{ name: 'key', value, scope: 'intern' }]));
  expect(maskOf(dotNet).replace(`<${written}>`)).toBe('<{{secret:key}}>');
});

test('a Basic credential with a plus is masked as .NET writes it in JSON', () => {
  const open = { name: 'password', value: '>>>>', scope: 'workspace' } as const;
  const token = Buffer.from(`me:${open.value}`).toString('base64');
  expect(token).toContain('+');
  const texts = textsOfCredentials(placeholdersOf(templates.slice(0, 1)), [open]);
  const written = token.replaceAll('+', String.raw`\u002B`);
  const ofPlus = addTexts([{ scope: 'workspace', automata: [] }], texts);
  expect(maskOf(ofPlus).replace(`<${written}>`)).toBe('<{{basic:me:password}}>');
});

test('a Basic credential is masked by its own placeholder', () => {
  const token = Buffer.from(`me:${TRICKY}`).toString('base64');
  expect(mask.replace(`Basic ${token}`)).toBe('Basic {{basic:me:password}}');
});

test('a Basic credential without its padding is masked', () => {
  const token = Buffer.from(`me:${TRICKY}`).toString('base64');
  expect(token).toMatch(/=$/);
  expect(mask.replace(`<${token.replace(/=+$/, '')}>`)).toBe('<{{basic:me:password}}>');
});

describe('a secret value', () => {
  const value = `Sk-9a/b+c=d"e'f<g>h&i\`j~k!(l)*m n\\`;
  const layers = createLayers(textsOfValues([{ name: 'key', value, scope: 'intern' }]));

  test.each(repeatedForms(value))('becomes its placeholder when repeated %s', (_, form) => {
    expect(maskOf(layers).replace(`<${form}>`)).toBe('<{{secret:key}}>');
  });

  test.each(base64Forms(value))('becomes its placeholder in %s', (_, form) => {
    expect(maskOf(layers).replace(form)).toMatch(/^[\w+/-]{0,3}\{\{secret:key\}\}[\w+/-]{0,4}={0,2}$/);
  });
});

test.each(repeatedForms(Buffer.from(`me:${TRICKY}`).toString('base64')))(
  'a Basic credential is masked %s',
  (_, form) => {
    expect(mask.replace(`<${form}>`)).toBe('<{{basic:me:password}}>');
  },
);

test('the list of texts to mask has no duplicates', () => {
  for (const texts of [
    textsOfCredentials(placeholdersOf(templates), secrets),
    textsOfValues(secrets.slice(1)),
  ]) {
    const found = texts.map(({ text }) => text.toString());
    expect(found).toEqual([...new Set(found)]);
  }
});

test.each([
  ['at both ends', 'pasted value'],
  ['at the end', ' \tpasted value'],
  ['at the beginning', 'pasted value \t'],
  ['nowhere', ' \tpasted value \t'],
  ['at the end, in JSON', ' \\tpasted value'],
])('a value whose blanks the host has removed %s is masked', (_, written) => {
  expect(mask.replace(`<${written}>`).replaceAll(/ |\t|\\t/g, '')).toBe('<{{secret:pasted}}>');
});
