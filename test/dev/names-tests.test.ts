import { expect, test } from '@jest/globals';
import { namesTests } from '../../dev/testing/names-tests.ts';

test.each([[[]], [['--bail']], [['--maxWorkers=2', '--silent']], [['--maxWorkers', '50%']], [['-w', '2']]])(
  'namesTests returns false when all tests run: %j',
  (args: string[]) => {
    expect(namesTests(args)).toBe(false);
  },
);

test.each([
  [['test/api']],
  [['--bail', 'worker-deaths']],
  [['-t', 'returns 402']],
  [['--testNamePattern=returns 402']],
  [['-o']],
  [['--findRelatedTests', 'api/main.ts']],
])('namesTests returns true when some tests run: %j', (args) => {
  expect(namesTests(args)).toBe(true);
});
