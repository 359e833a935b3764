import { expect, test } from '@jest/globals';
import { parseByteRange } from '../../../api/videos/answer-content.ts';

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=0-99', { start: 0, end: 99 }],
  ['bytes=10-', { start: 10, end: 99 }],
  ['BYTES=10-19', { start: 10, end: 19 }],
  ['bytes=90-500', { start: 90, end: 99 }],
  ['bytes=-1', { start: 99, end: 99 }],
  ['bytes=-500', { start: 0, end: 99 }],
  ['bytes=00010-00019', { start: 10, end: 19 }],
])('parseByteRange reads %s of 100 bytes as a part', (header, range) => {
  expect(parseByteRange(header, 100)).toEqual(range);
});

test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', `bytes=${'9'.repeat(40)}-`])(
  'parseByteRange finds %s of 100 bytes unsatisfiable',
  (header) => {
    expect(parseByteRange(header, 100)).toBe('unsatisfiable');
  },
);

test.each([
  undefined,
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=a-b',
  'bytes=5-2',
  'bytes=0-1,5-6',
  'items=0-1',
])('parseByteRange ignores %s, so that the whole file is sent', (header) => {
  expect(parseByteRange(header, 100)).toBeUndefined();
});

test('parseByteRange finds every range of an empty file unsatisfiable', () => {
  expect(parseByteRange('bytes=0-', 0)).toBe('unsatisfiable');
  expect(parseByteRange('bytes=-5', 0)).toBe('unsatisfiable');
});
