import { describe, expect, jest, test } from '@jest/globals';
import type { KeyUse } from '../../../../db/accounts/key-use-store.ts';
import { createKeyUses } from '../../../../services/accounts/identity/key-uses.ts';

function scene() {
  const written: KeyUse[][] = [];
  const warned: string[] = [];
  const clock = { nowMs: 1_000 };
  const fault: { error?: Error } = {};
  const uses = createKeyUses({
    store: {
      async record(group) {
        if (fault.error !== undefined) throw fault.error;
        written.push(group);
      },
    },
    everyMs: 60_000,
    logger: { warn: (_facts: unknown, message?: string) => void warned.push(message ?? '') } as never,
    now: () => clock.nowMs,
  });
  return { uses, written, warned, clock, fault };
}

describe('the times of last use of keys', () => {
  test('need one write for many uses, with the time of the last', async () => {
    const { uses, written, clock } = scene();
    for (let n = 0; n < 1_000; n += 1) uses.note(7);
    clock.nowMs = 2_000;
    uses.note(7);
    uses.note(8);
    expect(written).toEqual([]);
    await uses.flush();
    const usedAt = new Date(2_000);
    expect(written).toEqual([
      [
        { keyId: 7, usedAt },
        { keyId: 8, usedAt },
      ],
    ]);
    await uses.close();
    expect(written).toHaveLength(1);
  });

  test('reach the store in groups of five hundred', async () => {
    const { uses, written } = scene();
    for (let id = 1; id <= 1_201; id += 1) uses.note(id);
    await uses.close();
    expect(written.map(({ length }) => length)).toEqual([500, 500, 201]);
  });

  test('survive a failed write, and later uses keep their time', async () => {
    const { uses, written, warned, clock, fault } = scene();
    uses.note(1);
    uses.note(2);
    fault.error = new Error('away');
    await uses.flush();
    expect(warned).toHaveLength(1);
    clock.nowMs = 5_000;
    uses.note(2);
    delete fault.error;
    await uses.close();
    expect(written.flat().toSorted((a, b) => a.keyId - b.keyId)).toEqual([
      { keyId: 1, usedAt: new Date(1_000) },
      { keyId: 2, usedAt: new Date(5_000) },
    ]);
  });

  test('reach the store when the interval is over', async () => {
    jest.useFakeTimers();
    try {
      const { uses, written } = scene();
      uses.note(1);
      await jest.advanceTimersByTimeAsync(59_999);
      expect(written).toHaveLength(0);
      await jest.advanceTimersByTimeAsync(1);
      expect(written).toHaveLength(1);
      uses.note(1);
      await jest.advanceTimersByTimeAsync(60_000);
      expect(written).toHaveLength(2);
      await jest.advanceTimersByTimeAsync(600_000);
      expect(written).toHaveLength(2);
    } finally {
      jest.useRealTimers();
    }
  });
});
