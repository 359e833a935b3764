import { describe, expect, test } from '@jest/globals';
import { createNoticedCache } from '../../platform/noticed-cache.ts';

const AWAY = new Error('away');

function scene() {
  const state = {
    nowMs: 0,
    /** When the notices ended, if they did. */
    lostAtMs: undefined as number | undefined,
    reads: 0,
    answer: async (): Promise<object | null> => ({ n: 1 }),
  };
  const cache = createNoticedCache<object>({
    read: () => {
      state.reads += 1;
      return state.answer();
    },
    notices: {
      isConnected: () => state.lostAtMs === undefined,
      heardUntilMs: () => state.lostAtMs ?? state.nowMs,
    },
    isDown: (error) => error === AWAY,
    maxEntries: 10,
    now: () => state.nowMs,
  });
  return { state, cache };
}

const refuse = (error: Error) => () => Promise.reject(error);

describe('a cached value', () => {
  test('expires after 30 seconds, or after one second without notices', async () => {
    const { state, cache } = scene();
    await cache.get('a');
    state.nowMs = 29_999;
    expect(cache.peek('a')).toEqual({ n: 1 });
    state.nowMs = 30_000;
    expect(cache.peek('a')).toBeUndefined();
    await cache.get('a');
    state.lostAtMs = 30_000;
    state.nowMs = 31_000;
    await cache.get('a');
    expect(state.reads).toBe(3);
  });

  test('serves in an outage until 30 seconds after the last possible notice', async () => {
    const { state, cache } = scene();
    await cache.get('a');
    state.lostAtMs = 25_000;
    state.answer = refuse(AWAY);
    state.nowMs = 54_999;
    expect(await cache.get('a')).toEqual({ n: 1 });
    state.nowMs = 55_000;
    await expect(cache.get('a')).rejects.toBe(AWAY);
    await expect(cache.get('never read')).rejects.toBe(AWAY);
  });

  test('serves in an outage for 30 seconds if notices never arrived', async () => {
    const { state, cache } = scene();
    state.lostAtMs = -Infinity;
    state.nowMs = 100_000;
    await cache.get('a');
    state.answer = refuse(AWAY);
    state.nowMs = 129_999;
    expect(await cache.get('a')).toEqual({ n: 1 });
    state.nowMs = 130_000;
    await expect(cache.get('a')).rejects.toBe(AWAY);
  });

  test('cannot serve in an outage if too old when notices ended', async () => {
    const { state, cache } = scene();
    await cache.get('a');
    state.lostAtMs = 30_000;
    state.answer = refuse(AWAY);
    state.nowMs = 30_001;
    await expect(cache.get('a')).rejects.toBe(AWAY);
  });

  test('cannot serve after other failures or after a notice', async () => {
    const { state, cache } = scene();
    await cache.get('a');
    state.lostAtMs = 0;
    state.nowMs = 2_000;
    const slow = Object.assign(new Error('statement timeout'), { code: '57014' });
    state.answer = refuse(slow);
    await expect(cache.get('a')).rejects.toBe(slow);
    state.answer = refuse(AWAY);
    cache.forget('a');
    await expect(cache.get('a')).rejects.toBe(AWAY);
  });

  test('comes from one read for simultaneous callers, and absence is not cached', async () => {
    const { state, cache } = scene();
    state.answer = async () => null;
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual([null, null]);
    expect(state.reads).toBe(1);
    await cache.get('a');
    expect(state.reads).toBe(2);
  });

  test('expires at a notice that arrives during the read', async () => {
    const { state, cache } = scene();
    const held = Promise.withResolvers<object>();
    state.answer = () => held.promise;
    const asked = cache.get('a');
    cache.forget('a');
    held.resolve({ n: 'old' });
    await asked;
    expect(cache.peek('a')).toBeUndefined();
  });
});
