import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonLimits } from '../../../api/http/request/json-limits.ts';
import { parseJson } from '../../../api/http/request/parse-json.ts';
import { AppError } from '../../../domain/errors.ts';

function issuesOf(text: string, limits: JsonLimits): unknown {
  try {
    parseJson(Buffer.from(text), limits);
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error.options.issues : error;
  }
}

const DEEP = 'must not be nested deeper than 20 levels';
const WIDE = 'must have at most 300 fields and entries in all';
const MALFORMED = 'must be well-formed JSON';
const fields = (count: number): string => Array.from({ length: count }, (_, n) => `"n${n}":1`).join(',');

describe("the check of a body's structure", () => {
  const LIMITS = { maxDepth: 20, maxObjects: 200, maxCommas: 300, maxEntries: Infinity };

  test.each([
    ['lists at the limit', '['.repeat(20) + ']'.repeat(20), undefined],
    ['deeper lists', '['.repeat(21) + ']'.repeat(21), DEEP],
    ['deeper lists and objects, cut off', '[{"a":'.repeat(11), DEEP],
    ['lists side by side', `[${'[],'.repeat(198)}{}]`, undefined],
    ['more of them', `[${'[],'.repeat(199)}{}]`, 'must have at most 200 objects and lists'],
    ['fields at the limit', `[{${fields(200)}},{${fields(101)}}]`, undefined],
    ['more fields, in several objects', `[{${fields(200)}},{${fields(102)}}]`, WIDE],
    ['more entries', `[${'1,'.repeat(301)}1]`, WIDE],
    ['brackets and commas in text', JSON.stringify('[{":,'.repeat(1_000)), undefined],
    ['brackets after text with quotes', `["${String.raw`\"`.repeat(2_000)}",${'['.repeat(20)}`, DEEP],
    [
      'brackets after text that ends with backslashes',
      `["${String.raw`\\`.repeat(999)}",${'['.repeat(20)}`,
      DEEP,
    ],
    ['brackets after a long text', `["${'x'.repeat(5_000)}\\\\",${'['.repeat(20)}`, DEEP],
    ['brackets within a text whose end is missing', `"x${'['.repeat(50)}`, MALFORMED],
  ])('runs before the body is parsed: %s', (_what, text, message) => {
    const expected = message === undefined ? undefined : [{ path: 'body', message }];
    expect(issuesOf(text, LIMITS)).toEqual(expected);
  });

  test('measures the text like its parsed value', () => {
    const limits = { maxDepth: 3, maxObjects: 12, maxCommas: 12, maxEntries: Infinity };
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const { depth, objects, commas } = measure(JSON.parse(text));
        const isWithin =
          depth <= limits.maxDepth && objects <= limits.maxObjects && commas <= limits.maxCommas;
        expect(issuesOf(text, limits) === undefined).toBe(isWithin);
      }),
    );
  });
});

interface Measure {
  depth: number;
  objects: number;
  commas: number;
}

/** Measures a value without duplicate names. */
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

test('parseJson reports excessive nesting as one issue, even in a body cut short', () => {
  const limits = { maxDepth: 200, maxObjects: 1_000_000, maxCommas: Infinity, maxEntries: 1_000 };
  const issues = [{ path: 'body', message: 'must not be nested deeper than 200 levels' }];
  expect(issuesOf('['.repeat(200) + ']'.repeat(200), limits)).toBeUndefined();
  expect(issuesOf('['.repeat(201) + ']'.repeat(201), limits)).toEqual(issues);
  expect(issuesOf('['.repeat(500_000), limits)).toEqual(issues);
});

test.each([
  ['closes more than it opens', ']]}}],,"a":[1'],
  ['has a colon and a comma outside of lists and objects', '1:2,3'],
])('parseJson reports a body that %s as malformed', (_what, text) => {
  const limits = { maxDepth: 20, maxObjects: 20, maxCommas: 20, maxEntries: 20 };
  expect(issuesOf(text, limits)).toEqual([{ path: 'body', message: MALFORMED }]);
});

describe('the check of lists and objects', () => {
  const LIMITS = { maxDepth: 200, maxObjects: 300_000, maxCommas: Infinity, maxEntries: 1_000 };
  const issuesOfValue = (body: unknown): unknown => issuesOf(JSON.stringify(body), LIMITS);

  test('names the list or object with too many entries', () => {
    const many = Array.from({ length: 1_001 }, () => 0);
    const message = 'must have at most 1000 entries';
    expect(issuesOfValue({ frame_images: many })).toEqual([{ path: 'body.frame_images', message }]);
    expect(issuesOfValue({ provider: { options: { a: { list: many } } } })).toEqual([
      { path: 'body.provider.options.a.list', message },
    ]);
    expect(issuesOfValue({ messages: [{}, { content: many }] })).toEqual([
      { path: 'body.messages.1.content', message },
    ]);
    expect(issuesOfValue({ trace: Object.fromEntries(many.map((_, i) => [`k${i}`, 0])) })).toEqual([
      { path: 'body.trace', message },
    ]);
  });

  test('allows a list of exactly 1000 entries', () => {
    expect(
      issuesOfValue({ frame_images: Array.from({ length: 1_000 }, () => ({ a: null })) }),
    ).toBeUndefined();
    expect(issuesOfValue('text')).toBeUndefined();
  });

  test('counts a repeated field each time', () => {
    expect(issuesOf(`{${'"a":1,'.repeat(999)}"a":2}`, LIMITS)).toBeUndefined();
    expect(issuesOf(`{${'"a":1,'.repeat(1_000)}"a":2}`, LIMITS)).toEqual([
      { path: 'body', message: 'must have at most 1000 entries' },
    ]);
  });

  test('refuses more than 300,000 objects and lists in all', () => {
    const few = Array.from({ length: 1_000 }, () => ({}));
    const body = Array.from({ length: 400 }, () => few);
    const message = 'must have at most 300000 objects and lists';
    expect(issuesOfValue(body)).toEqual([{ path: 'body', message }]);
  });
});
