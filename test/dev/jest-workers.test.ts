import { expect, test } from '@jest/globals';
import { jestWorkers } from '../../dev/testing/test-run.ts';

const GB = 1_000_000_000;

test.each([
  ['five suites on two processors', 2, 24 * GB, 5],
  ['one suite more than processors on a large machine', 16, 64 * GB, 17],
  ['fewer suites where memory is short', 2, 5 * GB, 3],
  ['two suites at least', 2, 1 * GB, 2],
])('jestWorkers gives %s', (_what, processors, memoryBytes, workers) => {
  expect(jestWorkers(processors, memoryBytes)).toBe(workers);
});
