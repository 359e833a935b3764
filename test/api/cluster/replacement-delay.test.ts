import { expect, test } from '@jest/globals';
import { createReplacementDelay } from '../../../api/cluster/slot.ts';

test('the replacement delay doubles up to 30 s, until a child serves for a minute', () => {
  const next = createReplacementDelay();
  expect([59_000, 0, 1_000, 0].map(next)).toEqual([100, 200, 400, 800]);
  for (let n = 0; n < 10; n += 1) next(0);
  expect(next(0)).toBe(30_000);
  expect([60_000, 0].map(next)).toEqual([100, 200]);
});
