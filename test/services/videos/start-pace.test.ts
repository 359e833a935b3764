import { describe, expect, test } from '@jest/globals';
import { createStartPace } from '../../../services/videos/start-pace.ts';

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
    slowClaimMs: 150,
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
  test('lets ever more pass while workers claim at once, doubling each second', async () => {
    const { passes } = setUp();
    expect(await passes(9)).toEqual([2, 2, 2, 2, 4, 4, 4, 4, 8]);
  });

  test('lets five hundred pass at most', async () => {
    const { passes } = setUp();
    expect((await passes(60)).at(-1)).toBe(500);
  });

  test('counts what waits for its claim, and grows past what others have started', async () => {
    const { control, passes } = setUp();
    control.count = 5;
    expect(await passes(10)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 3, 3]);
  });

  test('halves at each look while claims are slow', async () => {
    const { control, passes } = setUp();
    await passes(13);
    control.oldestMs = 151;
    expect(await passes(4)).toEqual([8, 4, 2, 1]);
  });

  test('lets one pass each second although many are stuck', async () => {
    const { passes } = setUp({ count: 400, oldestMs: 20_000 });
    expect(await passes(9)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  });

  test('passes at most the configured rate while claims are slow', async () => {
    const { control, passes } = setUp({ startsPerSecond: 8 });
    await passes(17);
    control.oldestMs = 151;
    expect(await passes(2)).toEqual([2, 2]);
  });

  test('begins anew after a rest', async () => {
    const { control, passes } = setUp();
    await passes(9);
    control.nowMs += 6_000;
    expect(await passes(1)).toEqual([2]);
  });

  test('waits for the next look, or as long as its caller has patience', async () => {
    const { control, pace, passes } = setUp({ count: 400, oldestMs: 20_000 });
    await passes(1);
    const before = control.nowMs;
    expect(await pace.take(749)).toBe(false);
    expect(await pace.take()).toBe(true);
    expect(control.nowMs - before).toBe(750);
  });

  test('asks once for many who come at the same time', async () => {
    const { control, pace } = setUp();
    await Promise.all(Array.from({ length: 2 }, () => pace.take()));
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
