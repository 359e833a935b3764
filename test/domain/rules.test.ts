import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newGenerationId, newVideoJobId, timestampOfId, VIDEO_JOB_ID_PATTERN } from '../../domain/ids.ts';
import { cancelVerdict, hasLeftStatus, isTerminal, JOB_STATUSES } from '../../domain/videos/job.ts';
import { nextCheckDelayMs } from '../../domain/videos/poll-pace.ts';
import { isCertainRefusal, ProviderError } from '../../domain/provider-error.ts';
import { retryAfterMs } from '../../domain/retry-after.ts';
import { shardOfChild, SHARDS, shardOfProcess } from '../../domain/shard.ts';

describe('ids', () => {
  test('carry their time and never repeat', () => {
    const ids = Array.from({ length: 1_000 }, () => newVideoJobId(1_700_000_000_123));
    expect(new Set(ids).size).toBe(1_000);
    expect(ids.every((id) => VIDEO_JOB_ID_PATTERN.test(id))).toBe(true);
    expect(timestampOfId(ids[0]!)).toBe(1_700_000_000_123);
    expect(timestampOfId(newGenerationId(5))).toBe(5);
    expect(() => timestampOfId('gen-x')).toThrow(TypeError);
  });
});

describe('job states', () => {
  test('allow a cancellation while open, and report already_cancelled or too_late afterwards', () => {
    expect(JOB_STATUSES.map((status) => [status, isTerminal(status), cancelVerdict(status)])).toEqual([
      ['pending', false, 'cancel'],
      ['in_progress', false, 'cancel'],
      ['completed', true, 'too_late'],
      ['failed', true, 'too_late'],
      ['cancelled', true, 'already_cancelled'],
      ['expired', true, 'too_late'],
    ]);
  });
});

describe('hasLeftStatus', () => {
  test('returns true only for statuses that can follow the known one', () => {
    const ends = ['completed', 'failed', 'cancelled', 'expired'];
    const after = (known: (typeof JOB_STATUSES)[number]) =>
      JOB_STATUSES.filter((seen) => hasLeftStatus(known, seen));
    expect(JOB_STATUSES.map(after)).toEqual([['in_progress', ...ends], ends, [], [], [], []]);
    expect(hasLeftStatus('pending', 'nonsense' as never)).toBe(false);
  });
});

describe('nextCheckDelayMs', () => {
  const pace = { shortestMs: 2_000, longestMs: 30_000, deadlineMarginMs: 4_000 };
  const at = (ageMs: number, extra: { retryAfterMs?: number; deadlineAtMs?: number } = {}): number =>
    nextCheckDelayMs(pace, { nowMs: ageMs, startedAtMs: 0, deadlineAtMs: 3_600_000, ...extra });

  test('returns a tenth of the age between floor and ceiling', () => {
    expect([at(0), at(50_000), at(3_000_000)]).toEqual([2_000, 5_000, 30_000]);
  });

  test("returns the upstream's Retry-After even above the ceiling", () => {
    expect(at(0, { retryAfterMs: 90_000 })).toBe(90_000);
  });

  test('leaves room for one check just before the deadline', () => {
    expect(at(50_000, { deadlineAtMs: 57_000 })).toBe(3_000);
  });

  test('returns more than zero and never passes the last check before the deadline', () => {
    fc.assert(
      fc.property(fc.nat(4_000_000), fc.nat(4_000_000), fc.nat(100_000), (now, deadline, wish) => {
        const delay = at(now, { retryAfterMs: wish, deadlineAtMs: deadline });
        const lastCheck = deadline - pace.deadlineMarginMs;
        expect(delay).toBeGreaterThan(0);
        if (now < lastCheck) expect(now + delay).toBeLessThanOrEqual(lastCheck);
      }),
    );
  });
});

describe('isCertainRefusal', () => {
  const failure = (code: ProviderError['code'], status?: number, sent = true): ProviderError =>
    new ProviderError({
      code,
      sent,
      retryable: false,
      publicMessage: 'x',
      ...(status === undefined ? {} : { status }),
    });

  test('returns true for a 4xx and for a connection that was never made', () => {
    expect(isCertainRefusal(failure('invalid_request', 400))).toBe(true);
    expect(isCertainRefusal(failure('rate_limited', 429))).toBe(true);
    expect(isCertainRefusal(failure('not_connected', undefined, false))).toBe(true);
  });

  test('returns true for a refusal by the adapter itself', () => {
    expect(isCertainRefusal(failure('invalid_request', undefined, false))).toBe(true);
  });

  test('returns false when the upstream may have accepted the request', () => {
    expect(isCertainRefusal(failure('invalid_request'))).toBe(false);
    expect(isCertainRefusal(failure('timeout', 408))).toBe(false);
    expect(isCertainRefusal(failure('timeout'))).toBe(false);
    expect(isCertainRefusal(failure('connection_lost'))).toBe(false);
    expect(isCertainRefusal(failure('server_error', 500))).toBe(false);
    expect(isCertainRefusal(failure('invalid_response', 200))).toBe(false);
  });
});

describe('retryAfterMs', () => {
  test('reads seconds and dates, and returns undefined for other text', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfterMs('120', now)).toBe(120_000);
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:10 GMT', now)).toBe(10_000);
    expect(retryAfterMs('Thu, 01 Jan 2025 00:00:10 GMT', now)).toBe(0);
    expect(retryAfterMs('2.5', now)).toBe(2_500);
    for (const text of ['soon', '-5', '', '1e3']) expect(retryAfterMs(text, now)).toBeUndefined();
    expect(retryAfterMs(undefined, now)).toBeUndefined();
  });
});

describe('counter shards', () => {
  test('differ for up to sixteen children of a host, and stay the same', () => {
    const shardsOf = (host: string) => Array.from({ length: SHARDS }, (_, n) => shardOfChild(host, n + 1));
    expect(new Set(shardsOf('a')).size).toBe(SHARDS);
    expect(shardsOf('a')).toEqual(shardsOf('a'));
    expect(new Set(['a', 'b', 'c', 'd', 'e'].map((host) => shardOfChild(host, 1))).size).toBeGreaterThan(1);
  });

  test('stay the same for each process', () => {
    expect(shardOfProcess('a', 1)).toBe(shardOfProcess('a', 1));
    const shards = new Set(Array.from({ length: 500 }, (_, pid) => shardOfProcess('host', pid)));
    expect(shards.size).toBe(SHARDS);
  });
});
