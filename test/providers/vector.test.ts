/** Checks that a vector reaches the caller in the wanted encoding with all its numbers, or fails the answer. */
import { expect, test } from '@jest/globals';
import type { Repair } from '../../providers/repairs.ts';
import { toEncoding, type VectorEncoding } from '../../providers/openai-compatible/repair/vector.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';

const vendor = setUpVendorOfAnswers();

const NUMBERS = [0.5, -0.25];
const BASE64 = Buffer.from(new Float32Array(NUMBERS).buffer).toString('base64');
const ENCODINGS: [VectorEncoding, unknown][] = [
  ['float', NUMBERS],
  ['base64', BASE64],
];

/** Returns the vector, and the number of repairs. */
function encode(vector: unknown, encoding: VectorEncoding, dimensions?: number): [unknown, number] {
  let repairs = 0;
  const encoded = toEncoding(vector, { encoding, dimensions }, () => (repairs += 1));
  return [encoded, repairs];
}

test.each(ENCODINGS)('a vector of the encoding %s stays as it is', (encoding, vector) => {
  expect(encode(vector, encoding, 2)).toEqual([vector, 0]);
});

test.each([
  ['a list', NUMBERS],
  ['base64', BASE64],
  ['base64 without padding', BASE64.replaceAll('=', '')],
  ['a list in a list', [NUMBERS]],
  ['a list as text', JSON.stringify(NUMBERS)],
])('toEncoding converts %s to both encodings', (_, vector) => {
  expect(encode(vector, 'float')[0]).toEqual(NUMBERS);
  const read = Buffer.from(String(encode(vector, 'base64')[0]), 'base64');
  expect([read.readFloatLE(0), read.readFloatLE(4)]).toEqual(NUMBERS);
});

test.each<[string, unknown]>([
  [
    'two vectors for one input',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['a null among numbers', [0.1, null]],
  ['a text among numbers', [0.1, '0.2']],
  ['a list of texts as text', '["a"]'],
  ['a text that is no base64', '0.1, 0.2'],
  ['a list as text that ends too early', '[0.1, 0.2'],
  ['base64 of a part of a float', 'AAAA'],
  ['an empty text', ''],
  ['an empty list', []],
  ['an object', {}],
])('toEncoding refuses %s', (_, vector) => {
  for (const [encoding] of ENCODINGS) expect(() => encode(vector, encoding)).toThrow('understood');
});

test.each(ENCODINGS)('a vector of another number of dimensions is refused: %s', (_, vector) => {
  for (const [encoding] of ENCODINGS) expect(() => encode(vector, encoding, 3)).toThrow('understood');
});

test.each<[string, unknown[], number[], Repair[]]>([
  ['in order', [0, 1], [1, 2], []],
  ['in another order', [1, 0], [2, 1], ['embedding']],
  ['without indexes', [undefined, undefined], [1, 2], ['embedding']],
  ['with the same index', [0, 0], [1, 2], ['embedding']],
  ['with indexes as text', ['0', '1'], [1, 2], ['embedding']],
])('vectors %s count as a repair only if order or indexes change', async (_, indexes, expected, counted) => {
  const repairs: Repair[] = [];
  const context = { ...vendor.newContext(), noteRepair: (repair: Repair) => repairs.push(repair) };
  const sent = indexes.map((index, at) => ({ object: 'embedding', index, embedding: [at + 1] }));
  vendor.answerWith(200, 'application/json', JSON.stringify({ object: 'list', data: sent }));
  const { embeddings } = vendor.provider('openai');
  const { data } = await embeddings!.embed({ model: 'm', input: ['a', 'b'] }, context);
  expect(data.map(({ index, embedding }) => [index, embedding])).toEqual(
    expected.map((number, index) => [index, [number]]),
  );
  expect(repairs).toEqual(counted);
});
