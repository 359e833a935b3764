import { describe, expect, test } from '@jest/globals';
import { addTexts, createLayers, maskOf } from '../../../../../services/interns/egress/mask/mask-layers.ts';
import {
  type OpenSecret,
  textsOfCredentials,
  textsOfValues,
} from '../../../../../services/interns/egress/mask/masked-texts.ts';
import {
  basicToken,
  fillTemplate,
  parseHeaderTemplate,
  placeholdersOf,
} from '../../../../../services/interns/egress/placeholders.ts';
import { randomsOf } from './randoms.ts';

/** More than any header of these tests has. */
const MAX_LENGTH = 10_000;

type Secrets = readonly (readonly [OpenSecret['scope'], string, string])[];

/** Returns what an intern sees of a header that the host repeats. */
function echoOf(header: string, secrets: Secrets): string {
  const open = secrets.map(([scope, name, value]) => ({ scope, name, value }));
  const template = parseHeaderTemplate('x', header)!;
  const layers = createLayers(textsOfValues(open));
  const mask = maskOf(addTexts(layers, textsOfCredentials(placeholdersOf([template]), open)));
  const values = new Map(open.map(({ name, value }) => [name, value]));
  return mask.replace(fillTemplate(template, values, MAX_LENGTH)!);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

describe('a secret that the intern cannot write', () => {
  test.each(['attached', 'workspace'] as const)(
    'stays hidden from guesses letter by letter in the scope %s',
    (scope) => {
      const guesses = Array.from(
        LETTERS,
        (letter) => ['intern', `g_${letter}`, `PREFIX: s3cre${letter}`] as const,
      );
      const secrets: Secrets = [[scope, 'victim', 's3cret-value'], ...guesses];
      expect(echoOf('PREFIX: {{secret:victim}}', secrets)).toBe('PREFIX: {{secret:victim}}');
    },
  );

  test('stays hidden in a Basic credential from guesses letter by letter', () => {
    const token = basicToken('me', 's3cret-value');
    const guesses = Array.from(
      LETTERS,
      (letter) => ['intern', `g_${letter}`, `Basic ${token.slice(0, 9)}${letter}`] as const,
    );
    const secrets: Secrets = [['workspace', 'victim', 's3cret-value'], ...guesses];
    expect(echoOf('Basic {{basic:me:victim}}', secrets)).toBe('Basic {{basic:me:victim}}');
  });

  test('keeps its placeholder where the intern stores a similar text', () => {
    const secrets: Secrets = [
      ['workspace', 'victim', 's3cret-value'],
      ['intern', 'around', 'PREFIX: {{secret:victim}}'],
      ['intern', 'inside', 'secret:'],
      ['intern', 'edge', '}} end'],
    ];
    expect(echoOf('PREFIX: {{secret:victim}} end', secrets)).toBe('PREFIX: {{secret:victim}} end');
  });
});

test('a value that contains one of another vault is masked as a whole', () => {
  const secrets: Secrets = [
    ['workspace', 'password', 'hunter-two'],
    ['attached', 'login', 'me:hunter-two'],
    ['intern', 'url', 'db://me:hunter-two@host'],
  ];
  expect(echoOf('a {{secret:url}} {{secret:login}} {{secret:password}} b', secrets)).toBe(
    'a {{secret:url}} {{secret:login}} {{secret:password}} b',
  );
});

test('equal values of two vaults become one placeholder', () => {
  const secrets: Secrets = [
    ['intern', 'own', 'the-value'],
    ['workspace', 'shared', 'the-value'],
  ];
  expect(echoOf('<{{secret:own}}>', secrets)).toBe('<{{secret:shared}}>');
});

/** Returns whether two of the texts overlap somewhere in the text. */
function overlap(text: string, values: readonly string[]): boolean {
  const found = new Set<string>();
  for (const value of values) {
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1))
      found.add(`${at} ${value}`);
  }
  const spans = Array.from(found, (key) => ({
    start: Number(key.split(' ')[0]),
    length: key.split(' ')[1]!.length,
  }));
  return spans.some((one) =>
    spans.some((other) => other !== one && other.start >= one.start && other.start < one.start + one.length),
  );
}

test("an echo does not depend on a secret's value for random texts around it", () => {
  let compared = 0;
  for (let seed = 1; seed <= 6_000; seed += 1) {
    const random = randomsOf(seed);
    const textOf = (length: number): string => Array.from({ length }, () => 'abc'[random(3)]).join('');
    const length = 4 + random(4);
    const values = [textOf(length), textOf(length)];
    const [before, after] = [textOf(random(4)), textOf(random(4))];
    const users = [textOf(random(3)), textOf(random(3))];
    const header = `${before}{{secret:victim}}${after} {{basic:${users[0]}:victim}}${after} {{basic:${users[1]}:g0}}`;
    const templateOf = parseHeaderTemplate('x', header)!;
    const unknown = values.flatMap((value) => [value, ...users.map((user) => basicToken(user, value))]);
    const sources = [...unknown, ...values.map((value) => before + value + after)];
    const guesses = Array.from({ length: 1 + random(8) }, () => {
      const source = sources[random(sources.length)]!;
      const start = random(source.length);
      return source.slice(start, start + 1 + random(source.length));
    });
    const filled = values.map((value) =>
      fillTemplate(
        templateOf,
        new Map([
          ['victim', value],
          ['g0', guesses[0]!],
        ]),
        MAX_LENGTH,
      )!,
    );
    // Masking confirms a guess of a whole value, also one that is completed by the value itself.
    if (guesses.some((guess) => unknown.some((text) => guess.includes(text)))) continue;
    if (filled.some((text) => overlap(text, unknown))) continue;
    compared += 1;
    const stored = guesses.map((guess, n) => ['intern', `g${n}`, guess] as const);
    const [one, other] = values.map((value) => echoOf(header, [['workspace', 'victim', value], ...stored]));
    expect({ seed, masked: one }).toEqual({ seed, masked: other });
  }
  expect(compared).toBeGreaterThan(1_000);
});
