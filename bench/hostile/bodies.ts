/**
 * The size of hostile bodies: the limit for operations that do not generate, less a margin for the JSON around the
 * values.
 */
const BYTES = 1_040_000;
/** The default limit on entries of lists and objects. */
const DEFAULT_MAX_ENTRIES = 1_000;
/** A text that would drop a table if the API put it into SQL unescaped. */
export const INJECTION = `'; drop table generations; -- ") or 1=1 /* \\`;

/** A body as bytes, possibly malformed. */
export interface HostileBody {
  name: string;
  bytes: Buffer;
  encoding?: 'gzip';
}

/** Returns bodies of full length that no operation can use. */
export function malformedBodies(): HostileBody[] {
  const fill = (piece: string, before = '', after = ''): string =>
    before + piece.repeat(Math.floor((BYTES - before.length - after.length) / piece.length)) + after;
  const half = BYTES / 2;
  const texts: Record<string, string> = {
    'lists in lists': '['.repeat(half) + ']'.repeat(half),
    'objects in objects': `${'{"a":'.repeat(half / 3)}1${'}'.repeat(half / 3)}`,
    'a field of lists in lists': `{"name":${'['.repeat(half - 20)}${']'.repeat(half - 20)}}`,
    'two hundred levels of full lists': `${'[1,'.repeat(199)}${fill('1,', '[', '1]').slice(0, BYTES - 1_000)}1]${']'.repeat(199)}`,
    'empty objects': fill('{},', '[', '{}]'),
    'a field of empty objects': fill('{},', '{"name":[', '{}]}'),
    numbers: fill('1,', '[', '1]'),
    'names that are all different': `{${Array.from({ length: 80_000 }, (_, n) => `"n${n}":1`).join(',')}}`,
    'one name again and again': fill('"name":1,', '{', '"name":1}'),
    'a number of a million digits': fill('9', '{"limit":', '}'),
    'a fraction of a million digits': fill('9', '{"limit":0.', '}'),
    'a string of escapes': fill(String.raw`\u0000`, '{"name":"', '"}'),
    'a string of halves of characters': fill(String.raw`\ud800`, '{"name":"', '"}'),
    'a string without an end': fill('a', '{"name":"'),
    'JSON that breaks at its end': fill('{"name":"a"},', '[', '{]'),
    'white space': fill(' '),
  };
  return [
    ...Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
    { name: 'bytes that are no UTF-8', bytes: Buffer.alloc(BYTES, 0xff) },
  ];
}

/** Returns an operation's example with each field, and then all fields, replaced by wrong and long values. */
export function wrongBodies(example: object, maxEntries = DEFAULT_MAX_ENTRIES): HostileBody[] {
  const fields = Object.keys(example);
  const bodies = Object.entries(WRONGS).flatMap(([what, wrong]) => {
    const alone = fields.map((field) => ({
      name: `${field}: ${what}`,
      value: { ...example, [field]: wrong(BYTES - 2_000, maxEntries) },
    }));
    const share = Math.floor((BYTES - 2_000) / Math.max(1, fields.length));
    const all = Object.fromEntries(fields.map((field) => [field, wrong(share, maxEntries)]));
    return [...alone, { name: `every field: ${what}`, value: all }];
  });
  const full = { name: 'lists full of wrong entries', value: withFullLists(example, BYTES / 2, maxEntries) };
  return [...bodies, full].map(({ name, value }) => ({ name, bytes: Buffer.from(JSON.stringify(value)) }));
}

const WRONGS: Record<string, (bytes: number, entries: number) => unknown> = {
  'a long string': (bytes) => 'x'.repeat(bytes),
  'a long string in four bytes each': (bytes) => '😀'.repeat(Math.floor(bytes / 4)),
  'an injection': () => INJECTION,
  'a list of strings': (bytes, entries) =>
    Array.from({ length: entries }, (_, n) => `${n}`.padEnd(Math.floor(bytes / entries) - 4, "'")),
  'a list of objects': (bytes, entries) => Array.from({ length: entries }, () => wideObject(bytes / entries)),
  'an object of many names': (bytes, entries) =>
    Object.fromEntries(
      Array.from({ length: entries }, (_, n) => [`n${n}`, 'x'.repeat(Math.floor(bytes / entries) - 16)]),
    ),
};

function wideObject(bytes: number): object {
  const names = Math.floor(bytes / 12);
  return Object.fromEntries(Array.from({ length: names }, (_, n) => [`n${n}`, null]));
}

/** Fills each list up to the limit with copies of its first entry, with texts as long as possible. */
function withFullLists(value: unknown, bytes: number, maxEntries: number): unknown {
  if (Array.isArray(value)) {
    const each = Math.floor(bytes / maxEntries);
    const first: unknown = value[0];
    return Array.from({ length: maxEntries }, () =>
      withFullLists(first, each, Math.min(maxEntries, each / 10)),
    );
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const share = bytes / Math.max(1, entries.length);
    return Object.fromEntries(
      entries.map(([name, one]) => [name, withFullLists(one, share - name.length - 5, maxEntries)]),
    );
  }
  return typeof value === 'string'
    ? INJECTION.padEnd(Math.max(0, bytes - 4), "'").slice(0, Math.max(1, bytes))
    : value;
}
