import { expect, test } from '@jest/globals';
import { growthAfter } from '../../platform/heap-growth.ts';

const MIB = 1024 ** 2;

test.each([
  ['double where it is small', 30, 100],
  ['double up to its room', 48, 100],
  ['grow up to its room', 64, 50],
  ['grow by a tenth near its room', 90, 10],
  ['grow by a tenth beyond', 400, 10],
])('growthAfter lets a heap %s', (_what, usedMib, percent) => {
  expect(growthAfter(usedMib * MIB)).toBe(percent);
});
