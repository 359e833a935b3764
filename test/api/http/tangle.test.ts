import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { refuseTangle } from '../../../api/http/request/refuse-tangle.ts';
import type { AppError } from '../../../domain/errors.ts';

const LIMITS = { maxDepth: 20, maxObjects: 200, maxCommas: 300 };
/** Makes a body a large one. */
const PADDING = ' '.repeat(65 * 1024);

function refusalOf(text: string, padding = PADDING, limits = LIMITS): string | undefined {
  try {
    refuseTangle(Buffer.from(text + padding), limits);
    return undefined;
  } catch (error) {
    return (error as AppError).options.issues?.[0]?.message;
  }
}

const DEEP = 'must not be nested deeper than 20 levels';
const WIDE = 'must have at most 300 fields and entries in all';
const fields = (count: number): string => Array.from({ length: count }, (_, n) => `"n${n}":1`).join(',');

test.each([
  ['lists at the limit', '['.repeat(20) + ']'.repeat(20), undefined],
  ['deeper lists', '['.repeat(21) + ']'.repeat(21), DEEP],
  ['deeper lists and objects, broken off', '[{"a":'.repeat(11), DEEP],
  ['lists side by side', `[${'[],'.repeat(198)}{}]`, undefined],
  ['more of them', `[${'[],'.repeat(199)}{}]`, 'must have at most 200 objects and lists'],
  ['fields at the limit', `[{${fields(200)}},{${fields(101)}}]`, undefined],
  ['more fields, in several objects', `[{${fields(200)}},{${fields(102)}}]`, WIDE],
  ['more entries', `[${'1,'.repeat(301)}1]`, WIDE],
  ['brackets and commas that are text', JSON.stringify('[{":,'.repeat(1_000)), undefined],
  ['brackets after text with quotes', `["${String.raw`\"`.repeat(2_000)}",${'['.repeat(20)}`, DEEP],
  [
    'brackets after text that ends with backslashes',
    `["${String.raw`\\`.repeat(999)}",${'['.repeat(20)}`,
    DEEP,
  ],
  ['brackets after a long text', `["${'x'.repeat(5_000)}\\\\",${'['.repeat(20)}`, DEEP],
  ['brackets within a text whose end is missing', `"x${'['.repeat(50)}`, undefined],
])('of large bodies: %s', (_what, text, expected) => {
  expect(refusalOf(text)).toBe(expected);
});

test('looks at no small body, which costs little whatever it is', () => {
  expect(refusalOf('['.repeat(21), '')).toBe(undefined);
});

test('counts what the parser would find', () => {
  const limits = { maxDepth: 3, maxObjects: 12, maxCommas: 12 };
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const { depth, objects, commas } = measure(JSON.parse(text));
      const isWithin = depth <= limits.maxDepth && objects <= limits.maxObjects && commas <= limits.maxCommas;
      expect(refusalOf(text, PADDING, limits) === undefined).toBe(isWithin);
    }),
  );
});

interface Measure {
  depth: number;
  objects: number;
  commas: number;
}

/** Of what has no name twice. */
function measure(value: unknown): Measure {
  if (typeof value !== 'object' || value === null) return { depth: 0, objects: 0, commas: 0 };
  const children = Object.values(value).map(measure);
  const own = Math.max(0, children.length - 1);
  return {
    depth: 1 + Math.max(0, ...children.map(({ depth }) => depth)),
    objects: 1 + children.reduce((sum, { objects }) => sum + objects, 0),
    commas: own + children.reduce((sum, { commas }) => sum + commas, 0),
  };
}
