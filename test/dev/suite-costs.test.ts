import { describe, expect, test } from '@jest/globals';
import path from 'node:path';
import { costFaults, costsByFolder, unmeasured } from '../../dev/testing/suite-costs.ts';
import { ROOT } from '../../dev/settings.ts';

const suite = (file: string, cpuMs: number) => ({ path: path.join(ROOT, file), wallMs: 0, cpuMs });

test('costsByFolder adds up suites of a folder in fixed loads, the dearest folder first', () => {
  const suites = [
    suite('test/api/one.test.ts', 200),
    suite('test/journey/a/two.test.ts', 900),
    suite('test/api/http/three.test.ts', 300),
  ];
  expect(costsByFolder(suites, 100)).toEqual([
    ['journey', 9],
    ['api', 5],
  ]);
});

describe('costFaults', () => {
  test('names a folder that costs over a fifth more than the table allows', () => {
    expect(costFaults([['journey', 121]], { journey: 100 })).toEqual([
      expect.stringMatching(/^test\/journey costs 121 loads, and the table allows 100 and a fifth more[.] /),
    ]);
  });

  test('allows a fifth more, and any cost of a small folder', () => {
    const costs: [string, number][] = [
      ['journey', 120],
      ['small', 39],
    ];
    expect(costFaults(costs, { journey: 100, small: 1 })).toEqual([]);
  });

  test('names a large folder that the table lacks', () => {
    expect(costFaults([['new', 50]], {})).toEqual([
      expect.stringMatching(/^test\/new costs 50 loads, and is not in the table[.] /),
    ]);
  });
});

describe('unmeasured', () => {
  test('names a folder of the table that has no cost', () => {
    expect(unmeasured([['journey', 1]], { journey: 100, crashes: 100 })).toEqual([
      'No suite of test/crashes has written its cost.',
    ]);
  });

  test('reports a run that measured nothing', () => {
    expect(unmeasured([], {})).toEqual(['No suite has written its cost.']);
  });
});
