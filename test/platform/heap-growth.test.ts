import { expect, test } from '@jest/globals';
import { growthAfter } from '../../platform/heap-growth.ts';

const MIB = 1024 ** 2;

test.each([
  ['doubles where it is small', 30, 100],
  ['doubles up to its room', 48, 100],
  ['grows up to its room', 64, 50],
  ['grows by a tenth near its room', 90, 10],
  ['grows by a tenth beyond', 400, 10],
])('a heap %s', (_what, usedMib, percent) => {
  expect(growthAfter(usedMib * MIB)).toBe(percent);
});
