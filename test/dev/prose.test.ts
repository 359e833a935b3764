import { describe, expect, test } from '@jest/globals';
import {
  hasHeader,
  parseSource,
  readCommentLines,
  readComments,
  readSentences,
  readTestTitles,
} from '../../dev/prose/read-comments.ts';
import { readMarkdown } from '../../dev/prose/read-markdown.ts';
import {
  findCommentFaults,
  findLineFaults,
  findReferenceFaults,
  findTitleFaults,
  findWordFaults,
} from '../../dev/prose/rules.ts';

const parsed = (source: string) => parseSource('sample.ts', source);
const rulesOf = (text: string) => findCommentFaults(text).map(({ rule }) => rule);

describe('the first sentence of a doc comment', () => {
  test.each([
    'Of all requests of this process together.',
    'What a request may cost at most.',
    'Those that are over.',
    'The same rows, the newest first.',
    'How long a generation waits.',
    'As the provider reported it.',
    'Whether the job has ended.',
    'In the order of arrival.',
    'For a key of an intern.',
    'Only for jobs.',
    'Only what was paid.',
    'Until the next attempt; null when there is none.',
  ])('counts as a fragment: %s', (text) => {
    expect(rulesOf(text)).toEqual(['fragment']);
  });

  test.each([
    'Returns the rows of a job, the newest first.',
    'The largest body that a caller may send.',
    'When the body is absent, returns an empty object.',
    'For each row, the store returns one promise.',
    'Only the owner of a job may cancel it.',
    'Null when the job has not ended.',
    'Milliseconds between two attempts.',
    'Lists what is read:\n- rows\n- columns',
    'Reads `What. Is this` without judging code.',
    'Accepts every unit, e.g. Seconds, that the provider knows.',
  ])('counts as whole: %s', (text) => {
    expect(rulesOf(text)).toEqual([]);
  });

  test('must end with a full stop', () => {
    expect(rulesOf('Returns the rows of a job')).toEqual(['no end']);
  });

  test('has at most 35 words; later sentences may be longer', () => {
    const sentenceOf = (count: number) =>
      `Returns ${Array.from({ length: count - 1 }, () => 'rows').join(' ')}.`;
    expect(rulesOf(`${sentenceOf(35)} ${sentenceOf(50)}`)).toEqual([]);
    expect(rulesOf(sentenceOf(36))).toEqual(['long sentence']);
  });
});

describe('the prose rules', () => {
  test.each([
    'Stops whoever waits.',
    'The caller is told.',
    'Kept for ever.',
    'Started anew.',
    'A wish of the owner.',
  ])('report forbidden vocabulary: %s', (text) => {
    expect(findWordFaults(text).map(({ rule }) => rule)).toEqual(['word']);
  });

  test.each([
    'Sends `wish` to the store.',
    'See https://example.com/wish/whatever here.',
    'Tells apart.',
    'It is retold.',
    'An inpatient ward.',
  ])('accept other words: %s', (text) => {
    expect(findWordFaults(text)).toEqual([]);
  });

  test.each(['(design: §5)', 'See spec.md, Errors.', '`wire.md`', 'wire: the last table', 'See design.md.'])(
    'report a reference that leads nowhere: %s',
    (text) => {
      expect(findReferenceFaults(text)).toHaveLength(1);
    },
  );

  test.each([
    'See docs/design.md, The ledger.',
    'See docs/adr/0011-an-outage-of-postgres-is-503.md.',
    'The wire format.',
  ])('accept a reference: %s', (text) => {
    expect(findReferenceFaults(text)).toEqual([]);
  });
});

describe('the title of a test', () => {
  test.each([
    'returns 402 when the limit is spent',
    'a deleted key cannot sign in',
    'stays empty',
    'a key that has a limit answers 402',
    'the runs of a worker end with it',
    '%s answers 400 without a key',
    'a request with %j goes to another endpoint',
  ])('counts as a promise: %j', (title) => {
    expect(findTitleFaults(title)).toEqual([]);
  });

  test.each([
    'is refused',
    'without a key',
    'empty',
    'that nobody accepts is not_connected',
    'a key with a limit',
    'a list of keys',
    'a key that has a limit',
    'the answer when a limit is spent',
    'a vector %s',
    '%s when the status changes',
    '%s is refused',
    'code is refused',
  ])('states no promise: %j', (title) => {
    expect(findTitleFaults(title)).toEqual([{ rule: 'title', excerpt: title.slice(0, 40) }]);
  });

  test('contains no forbidden word', () => {
    expect(findTitleFaults('stops whoever waits').map(({ rule }) => rule)).toEqual(['word']);
  });
});

describe('a line of a comment', () => {
  test('has at most 120 columns, without its URLs', () => {
    expect(findLineFaults('x'.repeat(120))).toEqual([]);
    expect(findLineFaults('x'.repeat(121)).map(({ rule }) => rule)).toEqual(['long line']);
    expect(findLineFaults(` * See https://example.com/${'x'.repeat(120)} for more.`)).toEqual([]);
  });
});

describe('hasHeader', () => {
  test.each([
    "/** Reads rows. */\nimport './a.ts';\nconst a = 1;\n",
    "import './a.ts';\n/** Reads rows. */\nexport function read() {}\n",
    "import './a.ts';\nexport const LIMIT = 1;\n\n/** Reads rows. */\nexport class Rows {}\n",
    '#!/usr/bin/env node\n/** Reads rows. */\nconst a = 1;\n',
  ])('returns true for %j', (source) => {
    expect(hasHeader(parsed(source))).toBe(true);
  });

  test.each([
    "import './a.ts';\nexport function read() {}\n",
    "import './a.ts';\n/** The largest page. */\nconst PAGE = 10;\n/** Reads rows. */\nexport function read() {}\n",
    'export interface Rows {\n  /** The number. */\n  count: number;\n}\n',
    'export interface Rows {\n  /** The number. */\n  count: number;\n}\n/** Reads rows. */\nexport function read() {}\n',
  ])('returns false for %j', (source) => {
    expect(hasHeader(parsed(source))).toBe(false);
  });
});

describe('the readers', () => {
  test('return comments with their lines, and no string that resembles one', () => {
    const source = "/**\n * Returns\n * one.\n */\nconst text = '/** What. */'; // why\n";
    expect(readComments(parsed(source))).toEqual([
      { line: 1, isDoc: true, text: 'Returns\none.' },
      { line: 5, isDoc: false, text: 'why' },
    ]);
  });

  test('return comments of members, parameters and the end of a file', () => {
    const source = 'interface A {\n  /** First. */\n  a: `${string}x`; /** Second. */\n}\n// last\n';
    expect(readComments(parsed(source)).map(({ line }) => line)).toEqual([2, 3, 5]);
  });

  test('return the whole lines of comments, each once', () => {
    const source = 'const a = 1; /* b */ // c\n/**\n * d\n */\nconst text = "// e";\n';
    expect(readCommentLines(parsed(source))).toEqual([
      { line: 1, text: 'const a = 1; /* b */ // c' },
      { line: 2, text: '/**' },
      { line: 3, text: ' * d' },
      { line: 4, text: ' */' },
    ]);
  });

  test('return strings with a space, and templates without their expressions', () => {
    const source = "import './a.ts';\nconst b = 'whatever';\nlog('is told', `${b} was told`);\n";
    expect(readSentences(parsed(source))).toEqual([
      { line: 3, isDoc: false, text: 'is told' },
      { line: 3, isDoc: false, text: 'code was told' },
    ]);
  });

  test('return titles of tests', () => {
    const source = "describe('a', () => {\n  test.each([1])('b %s', () => {});\n  other('c');\n});\n";
    expect(readTestTitles(parsed(source)).map(({ text }) => text)).toEqual(['a', 'b %s']);
  });

  test('return titles from templates, without their expressions', () => {
    const source = 'test(`answers ${status}`, () => {});\n';
    expect(readTestTitles(parsed(source)).map(({ text }) => text)).toEqual(['answers code']);
  });

  test('mark the titles of groups, which need no verb', () => {
    const source =
      "describe('a', () => {\n  describe.each([1])('b %s', () => {\n    test('c', () => {});\n    it('d');\n  });\n});\n";
    expect(readTestTitles(parsed(source))).toEqual([
      { line: 1, text: 'a', isGroup: true },
      { line: 2, text: 'b %s', isGroup: true },
      { line: 3, text: 'c', isGroup: false },
      { line: 4, text: 'd', isGroup: false },
    ]);
  });

  test('leave code blocks of a page out', () => {
    const page = '# Title\n\n```sh\nwhoever\n```\n\n    indented\n\n- item\n    - nested\n';
    expect(readMarkdown(page)).toEqual([
      { line: 1, text: '# Title' },
      { line: 9, text: '- item' },
      { line: 10, text: '    - nested' },
    ]);
  });
});
