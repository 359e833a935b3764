import { expect, test } from '@jest/globals';
import { makeSchedule } from './schedule.ts';

test('a seed gives the same faults again, and another seed gives others', () => {
  expect(makeSchedule(7, 2)).toEqual(makeSchedule(7, 2));
  expect(makeSchedule(7, 2)).not.toEqual(makeSchedule(8, 2));
});

test('a longer schedule begins with the faults of a shorter one', () => {
  const short = makeSchedule(7, 1);
  const long = makeSchedule(7, 3);
  expect(long.map((lane, n) => lane.slice(0, short[n]!.length))).toEqual(short);
});

test('faults of a lane never overlap, and the last one ends in time', () => {
  for (const lane of makeSchedule(7, 2)) {
    const ends = lane.map(({ atMs, forMs }) => atMs + forMs);
    expect(ends.at(-1)).toBeLessThanOrEqual(120_000);
    for (const [n, { atMs }] of lane.slice(1).entries()) expect(atMs).toBeGreaterThan(ends[n]!);
  }
});

test('a schedule of ten minutes has every kind of fault', () => {
  const kinds = makeSchedule(7, 10)
    .flat()
    .map(({ target, act, index }) => `${act} ${target} ${index}`);
  expect([...new Set(kinds)].toSorted()).toEqual([
    'kill Postgres 1',
    'kill a worker 1',
    'kill a worker 2',
    'kill an API process 1',
    'kill an API process 2',
    'kill the API 1',
    'pause a worker 1',
    'pause a worker 2',
    'pause an API process 1',
    'pause an API process 2',
    'refusal Postgres 1',
    'refusal Temporal 1',
    'silence Postgres 1',
    'silence Temporal 1',
  ]);
});
