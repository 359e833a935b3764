import { describe, expect, test } from '@jest/globals';
import { createStartPace } from '../../../services/jobs/start-pace.ts';

/** A pace over a count that the test sets, on a clock that moves only when it is moved; waits are noted. */
function setUp(startsPerSecond: number, unclaimed: number) {
  const control = { unclaimed, isAway: false, looks: 0, nowMs: 1_000_000, waitsMs: [] as number[] };
  const pace = createStartPace({
    store: {
      async countUnclaimed(limit) {
        control.looks += 1;
        if (control.isAway) throw new Error('the database is away');
        return Math.min(control.unclaimed, limit);
      },
    },
    startsPerSecond,
    unclaimedThreshold: 10,
    now: () => control.nowMs,
    sleep: async (ms) => control.waitsMs.push(ms),
  });
  return { control, take: (count: number) => Promise.all(Array.from({ length: count }, () => pace.take())) };
}

describe('the pace of starts', () => {
  test('lets everything pass while workers keep up, and asks once', async () => {
    const { control, take } = setUp(1, 9);
    await take(1_000);
    expect(control).toMatchObject({ looks: 1, waitsMs: [] });
  });

  test('spaces starts evenly while many started jobs wait', async () => {
    const { control, take } = setUp(20, 10);
    await take(4);
    expect(control.waitsMs).toEqual([50, 100, 150]);
    control.nowMs += 120;
    await take(1);
    expect(control.waitsMs.at(-1)).toBe(80);
  });

  test('asks again after a second, and lets pass once the jobs are claimed', async () => {
    const { control, take } = setUp(20, 10);
    await take(2);
    control.unclaimed = 0;
    control.nowMs += 999;
    await take(2);
    expect(control).toMatchObject({ looks: 1, waitsMs: [50, 50] });
    control.nowMs += 1;
    await take(100);
    expect(control).toMatchObject({ looks: 2, waitsMs: [50, 50] });
  });

  test('saves up nothing while nobody starts', async () => {
    const { control, take } = setUp(20, 10);
    await take(1);
    control.nowMs += 60_000;
    await take(3);
    expect(control.waitsMs).toEqual([50, 100]);
  });

  test('fails when it cannot ask, and asks again a second later', async () => {
    const { control, take } = setUp(1, 0);
    control.isAway = true;
    await expect(take(1)).rejects.toThrow('the database is away');
    control.isAway = false;
    control.nowMs += 1_000;
    await take(1);
    expect(control.looks).toBe(2);
  });
});
