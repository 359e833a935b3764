import { describe, expect, test } from '@jest/globals';
import { createSharedSlots } from '../../services/shared-slots.ts';

function setUp(slots: number) {
  const clock = { nowMs: 1_000_000 };
  let sentAway = 0;
  const shared = createSharedSlots({ slots, onSentAway: () => (sentAway += 1), now: () => clock.nowMs });
  const taken: Record<string, (() => void)[]> = {};
  return {
    clock,
    sentAway: () => sentAway,
    /** Takes as many slots as the organization gets. Returns their number. */
    fill(id: string): number {
      const held = (taken[id] ??= []);
      for (;;) {
        const slot = shared.take(id, false);
        if (typeof slot === 'number') return held.length;
        held.push(slot);
      }
    },
    giveBack: (id: string) => taken[id]!.shift()!(),
    /** Returns the wait until the next try; 0 if a slot was taken. */
    tryFirst(id: string): number {
      const slot = shared.take(id, true);
      if (typeof slot === 'number') return slot;
      (taken[id] ??= []).push(slot);
      return 0;
    },
  };
}

describe('the slots of a queue', () => {
  test('go to one organization up to a half', () => {
    const { fill, sentAway } = setUp(100);
    expect(fill('one')).toBe(50);
    expect(sentAway()).toBe(1);
  });

  test('leave room for other organizations however many fill their shares', () => {
    const { fill } = setUp(100);
    const held = ['one', 'two', 'three', 'four'].map(fill);
    expect(held).toEqual([50, 25, 13, 6]);
    expect(fill('five')).toBeGreaterThan(0);
  });

  test('return to the organization that releases them', () => {
    const { fill, giveBack } = setUp(10);
    expect(fill('one')).toBe(5);
    giveBack('one');
    giveBack('one');
    expect(fill('one')).toBe(5);
  });
});

describe('deferred work', () => {
  test('returns one by one, as fast as the organization releases slots', () => {
    const { clock, fill, giveBack, tryFirst } = setUp(10);
    fill('one');
    clock.nowMs += 11_000;
    giveBack('one');
    tryFirst('one');
    const waits = Array.from({ length: 4 }, () => tryFirst('one'));
    // The mean duration is 2 s, and five slots are given back in that time.
    expect(waits).toEqual([1_000, 1_400, 1_800, 2_200]);
  });

  test('goes before work that arrives for the first time', () => {
    const { fill, giveBack, tryFirst } = setUp(10);
    fill('one');
    expect(tryFirst('one')).toBeGreaterThan(0);
    giveBack('one');
    expect(tryFirst('one')).toBeGreaterThan(0);
    expect(fill('one')).toBe(5);
  });

  test('does not delay new work while many slots are free', () => {
    const { fill, giveBack, tryFirst } = setUp(12);
    fill('one');
    for (let n = 0; n < 20; n += 1) tryFirst('one');
    for (let n = 0; n < 4; n += 1) giveBack('one');
    expect(tryFirst('one')).toBe(0);
  });

  test('does not delay work of another organization', () => {
    const { fill, tryFirst } = setUp(10);
    fill('one');
    tryFirst('one');
    expect(tryFirst('two')).toBe(0);
  });
});
