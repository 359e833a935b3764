import { describe, expect, test } from '@jest/globals';
import { createStartPace } from '../../../services/jobs/start-pace.ts';

/** A pace over claims that the test sets, on a clock that moves only by waiting. */
function setUp({ startsPerSecond = 50, count = 0, oldestMs = 0 } = {}) {
  const control = { count, oldestMs, isAway: false, looks: 0, nowMs: 1_000_000 };
  const pace = createStartPace({
    store: {
      async waitingForClaim() {
        control.looks += 1;
        if (control.isAway) throw new Error('the database is away');
        return { count: control.count, oldestMs: control.oldestMs };
      },
    },
    startsPerSecond,
    now: () => control.nowMs,
    sleep: async (ms) => void (control.nowMs += ms),
  });
  /** How many starts pass within each of the next looks. */
  const passes = async (looks: number): Promise<number[]> => {
    const counts: number[] = [];
    for (let look = 0; look < looks; look += 1) {
      let count = 0;
      while (await pace.take(0)) count += 1;
      counts.push(count);
      control.nowMs += 250;
    }
    return counts;
  };
  return { control, pace, passes };
}

describe('the pace of starts', () => {
  test('lets ever more pass while workers claim at once, up to a bound', async () => {
    const { passes } = setUp();
    expect(await passes(7)).toEqual([20, 40, 80, 160, 320, 500, 500]);
  });

  test('counts what waits for its claim against what may pass', async () => {
    const { passes } = setUp({ count: 15 });
    expect(await passes(2)).toEqual([5, 25]);
  });

  test('halves while claims are slow, down to one start each look', async () => {
    const { control, passes } = setUp();
    await passes(3);
    control.oldestMs = 501;
    expect(await passes(8)).toEqual([12, 12, 10, 5, 2, 1, 1, 1]);
  });

  test('lets one pass at each look although many are stuck', async () => {
    const { passes } = setUp({ count: 400, oldestMs: 20_000 });
    expect(await passes(3)).toEqual([1, 1, 1]);
  });

  test('passes at most the configured rate while claims are slow', async () => {
    const { control, passes } = setUp({ startsPerSecond: 8 });
    await passes(4);
    control.oldestMs = 501;
    expect(await passes(2)).toEqual([2, 2]);
  });

  test('begins anew after a rest', async () => {
    const { control, passes } = setUp();
    await passes(5);
    control.nowMs += 6_000;
    expect(await passes(1)).toEqual([20]);
  });

  test('waits for the next look, or as long as its caller has patience', async () => {
    const { control, pace, passes } = setUp({ count: 400, oldestMs: 20_000 });
    await passes(1);
    await pace.take();
    expect(await pace.take(249)).toBe(false);
    const before = control.nowMs;
    expect(await pace.take(250)).toBe(true);
    expect(control.nowMs - before).toBe(250);
  });

  test('asks once for many who come at the same time', async () => {
    const { control, pace } = setUp();
    await Promise.all(Array.from({ length: 20 }, () => pace.take()));
    expect(control.looks).toBe(1);
  });

  test('fails when it cannot ask, and asks again at the next look', async () => {
    const { control, pace } = setUp();
    control.isAway = true;
    await expect(pace.take()).rejects.toThrow('the database is away');
    control.isAway = false;
    control.nowMs += 250;
    expect(await pace.take()).toBe(true);
  });
});
