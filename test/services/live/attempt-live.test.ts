import { describe, expect, test } from '@jest/globals';
import { timeoutsWithin } from '../../../services/live/attempt-live.ts';

describe('the timeouts of one attempt', () => {
  test('keep their own values while more time is left', () => {
    expect(timeoutsWithin(900_000, {})).toEqual({ firstByteMs: 60_000, idleMs: 120_000, attemptMs: 600_000 });
    const own = { firstByteMs: 1, idleMs: 2, attemptMs: 3 };
    expect(timeoutsWithin(900_000, own)).toEqual(own);
  });

  test('stay within the time left, except the idle timeout of a stream', () => {
    expect(timeoutsWithin(500, {})).toEqual({ firstByteMs: 500, idleMs: 120_000, attemptMs: 500 });
    expect(timeoutsWithin(500, { attemptMs: 9_000_000 }).attemptMs).toBe(500);
  });
});
