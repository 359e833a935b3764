import { describe, expect, test } from '@jest/globals';
import { createStartPace } from '../../../services/videos/start-pace.ts';

const ONE = () => ['one'];

/**
 * A pace over claims that the test sets, on a clock that moves only by waiting. `count` are the waiting jobs of the
 * organization `one`.
 */
function setUp({ startsPerSecond = 50, count = 0, oldestMs = 0 } = {}) {
  const control = {
    count,
    oldestMs,
    others: [] as [string, number][],
    undispatched: [] as string[],
    isAway: false,
    looks: 0,
    nowMs: 1_000_000,
  };
  const pace = createStartPace({
    store: {
      async waitingForClaim() {
        control.looks += 1;
        if (control.isAway) throw new Error('the database is away');
        const { oldestMs, undispatched } = control;
        const own: [string, number][] = control.count === 0 ? [] : [['one', control.count]];
        return { started: new Map([...own, ...control.others]), oldestMs, undispatched };
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
      while ((await pace.take(ONE, 0)) !== undefined) count += 1;
      counts.push(count);
      control.nowMs += 250;
    }
    return counts;
  };
  return { control, pace, passes };
}

describe('the pace of starts', () => {
  test('doubles the starts each second while workers claim at once', async () => {
    const { passes } = setUp();
    expect(await passes(9)).toEqual([2, 2, 2, 2, 4, 4, 4, 4, 8]);
  });

  test('allows five hundred starts a look at most', async () => {
    const { passes } = setUp();
    expect((await passes(60)).at(-1)).toBe(500);
  });

  test("counts jobs that wait for their claim and grows past other processes' starts", async () => {
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

  test('allows one start a second while many jobs are stuck', async () => {
    const { passes } = setUp({ count: 400, oldestMs: 20_000 });
    expect(await passes(9)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  });

  test('allows the configured rate at most while claims are slow', async () => {
    const { control, passes } = setUp({ startsPerSecond: 8 });
    await passes(17);
    control.oldestMs = 151;
    expect(await passes(2)).toEqual([2, 2]);
  });

  test('restarts at its first value after a rest of six seconds', async () => {
    const { control, passes } = setUp();
    await passes(9);
    control.nowMs += 6_000;
    expect(await passes(1)).toEqual([2]);
  });

  test("waits for the next look, up to the caller's limit", async () => {
    const { control, pace, passes } = setUp({ count: 400, oldestMs: 20_000 });
    await passes(1);
    const before = control.nowMs;
    expect(await pace.take(ONE, 749)).toBeUndefined();
    expect(await pace.take(ONE)).toBe('one');
    expect(control.nowMs - before).toBe(750);
  });

  test('looks once for callers that arrive at the same time', async () => {
    const { control, pace } = setUp();
    await Promise.all(Array.from({ length: 2 }, () => pace.take(ONE)));
    expect(control.looks).toBe(1);
  });

  test('fails when Postgres cannot be read, and reads it again at the next start', async () => {
    const { control, pace } = setUp();
    control.isAway = true;
    await expect(pace.take(ONE)).rejects.toThrow('the database is away');
    control.isAway = false;
    control.nowMs += 250;
    expect(await pace.take(ONE)).toBe('one');
  });

  test("lets a second organization start although the first one's jobs fill the window", async () => {
    const { control, pace } = setUp({ count: 400, oldestMs: 20_000 });
    control.undispatched = ['one', 'two'];
    await pace.take(ONE);
    expect(await pace.take(() => ['one', 'two'], 0)).toBe('two');
    expect(await pace.take(() => ['one', 'two'], 0)).toBeUndefined();
  });

  test('shares the window with waiting organizations of other processes', async () => {
    const { control, pace, passes } = setUp();
    await passes(12);
    control.undispatched = ['two', 'three', 'four'];
    const started: string[] = [];
    for (let n = 0; n < 4; n += 1) started.push((await pace.take(ONE, 0)) ?? 'none');
    expect(started).toEqual(['one', 'one', 'one', 'one']);
    expect(await pace.take(ONE, 0)).toBeUndefined();
    expect(await pace.take(() => ['one', 'two'], 0)).toBe('two');
  });

  test('takes the first organization that has a place', async () => {
    const { control, pace } = setUp();
    control.others = [
      ['two', 1],
      ['three', 1],
    ];
    expect(await pace.take(() => ['two', 'three', 'one'], 0)).toBe('one');
  });

  test('limits a thousand organizations to the configured rate while claims are slow', async () => {
    const { pace } = setUp({ count: 400, oldestMs: 20_000 });
    const many = Array.from({ length: 1_000 }, (_, n) => `organization-${n}`);
    const started = new Set<string>();
    for (;;) {
      const next = await pace.take(() => many.filter((id) => !started.has(id)), 0);
      if (next === undefined) break;
      started.add(next);
    }
    expect(started.size).toBe(12);
  });
});
