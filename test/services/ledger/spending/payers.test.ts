import { describe, expect, test } from '@jest/globals';
import { settled } from './simulated-counters.ts';
import { BUDGET, CREDIT, KEY, keyUnder, paid, REFUSED, setUp } from './spending-setup.ts';

describe('a new period', () => {
  test.each([
    ['daily', '2026-01-05T00:00:00Z', '2026-01-05T23:59:59Z'],
    ['weekly', '2026-01-05T00:00:00Z', '2026-01-11T23:59:59Z'],
    ['monthly', '2026-02-01T00:00:00Z', '2026-02-28T23:59:59Z'],
  ] as const)('begins unspent for a limit that resets %s, at %s exactly', async (interval, begin, end) => {
    const { spending, control, commit } = setUp();
    const key = keyUnder([{ ...KEY, interval }]);
    const spend = async (): Promise<void> => {
      const reservation = await spending.reserve(key, paid(100n));
      commit(paid(100n));
      reservation.settle(paid(100n));
      await expect(spending.reserve(key, paid(1n))).rejects.toMatchObject(REFUSED);
    };
    await spend();
    control.nowMs = Date.parse(begin) - 1;
    await expect(spending.reserve(key, paid(1n))).rejects.toMatchObject(REFUSED);
    // At once, without a read.
    control.nowMs = Date.parse(begin);
    await spend();
    control.nowMs = Date.parse(end);
    await spending.refresh();
    await expect(spending.reserve(key, paid(1n))).rejects.toMatchObject(REFUSED);
  });

  test('keeps reservations in flight and amounts that jobs hold', async () => {
    const { spending, control, postgres } = setUp();
    const key = keyUnder([{ ...KEY, interval: 'daily' }]);
    postgres.jobs.push({ key: 1, organization: '', workspace: '', ...paid(20n), day: 0 });
    await spending.reserve(key, paid(60n));
    control.nowMs += 1_000;
    await expect(spending.reserve(key, paid(21n))).rejects.toMatchObject(REFUSED);
    await spending.reserve(key, paid(20n));
  });

  test("ignores the old period's spending in a read that began before midnight", async () => {
    const { spending, control, commit, held } = setUp({ holdReads: true });
    const key = keyUnder([{ ...KEY, interval: 'daily' }]);
    const reserved = spending.reserve(key, paid(100n));
    await settled();
    held.deliver();
    const reservation = await reserved;
    commit(paid(100n));
    reservation.settle(paid(100n));
    const first = spending.refresh();
    await settled();
    held.deliver();
    await first;
    const refreshed = spending.refresh();
    await settled();
    held.snapshot();
    control.nowMs += 1_000;
    const early = await spending.reserve(key, paid(40n));
    commit(paid(40n));
    early.settle(paid(40n));
    held.deliver();
    await refreshed;
    await expect(spending.reserve(key, paid(61n))).rejects.toMatchObject(REFUSED);
    await spending.reserve(key, paid(60n));
  });

  test('does not begin because a clock is set back', async () => {
    const { spending, control, commit } = setUp();
    const key = keyUnder([{ ...KEY, interval: 'daily' }]);
    const reservation = await spending.reserve(key, paid(100n));
    commit(paid(100n));
    reservation.settle(paid(100n));
    control.nowMs -= 86_400_000;
    await expect(spending.reserve(key, paid(1n))).rejects.toMatchObject(REFUSED);
  });

  test('ends when a clock that was set forward is set back, and the spending of its own day counts', async () => {
    const { spending, control, commit } = setUp();
    const key = keyUnder([{ ...KEY, interval: 'daily' }]);
    const spend = async (amount: bigint): Promise<void> => {
      const reservation = await spending.reserve(key, paid(amount));
      commit(paid(amount));
      reservation.settle(paid(amount));
    };
    await spend(90n);
    control.nowMs += 86_400_000;
    await spend(10n);
    await spending.refresh();
    control.nowMs -= 86_400_000;
    await spending.refresh();
    await expect(spending.reserve(key, paid(1n))).rejects.toMatchObject(REFUSED);
  });
});

describe('a payer that is not in memory', () => {
  test('requests that arrive at once share one read', async () => {
    const { spending, held } = setUp({ holdReads: true });
    const waiting = Array.from({ length: 20 }, () => spending.reserve(keyUnder([KEY]), paid(5n)));
    await settled();
    const late = spending.reserve(keyUnder([KEY]), paid(5n));
    late.catch(() => {});
    await settled();
    held.deliver();
    await Promise.all(waiting);
    await expect(late).rejects.toMatchObject(REFUSED);
    expect(held.count()).toBe(1);
  });

  test('shares one read with all other payers that arrive meanwhile', async () => {
    const { spending, held } = setUp({ holdReads: true });
    const reserved = Array.from({ length: 50 }, (_, keyId) =>
      spending.reserve(keyUnder([KEY], keyId), paid(5n)),
    );
    await settled();
    held.deliver();
    await Promise.all(reserved);
    expect(held.count()).toBe(1);
  });

  test("fails with the outage's error while Postgres is away and is read after it", async () => {
    const { spending, held } = setUp({ holdReads: true });
    const reserved = spending.reserve(keyUnder([KEY]), paid(5n));
    const failure = expect(reserved).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await settled();
    held.fail();
    await failure;
    expect(spending.reservedBy(1)).toEqual(paid(0n));
    const again = spending.reserve(keyUnder([KEY]), paid(100n));
    await settled();
    held.deliver();
    await again;
  });

  test('holds its reservations in flight against a new interval', async () => {
    const { spending } = setUp();
    await spending.reserve(keyUnder([KEY]), paid(60n));
    const changed = keyUnder([{ ...KEY, interval: 'monthly' }]);
    await expect(spending.reserve(changed, paid(41n))).rejects.toMatchObject(REFUSED);
    await spending.reserve(changed, paid(40n));
  });
});

describe('a payer in memory', () => {
  test('keeps its last known counters during an outage, which is logged once', async () => {
    const { spending, control, held } = setUp({ holdReads: true });
    const key = keyUnder([KEY]);
    const first = spending.reserve(key, paid(40n));
    await settled();
    held.deliver();
    (await first).settle(paid(40n));
    for (let second = 0; second < 3; second += 1) {
      control.nowMs += 20_000;
      const refreshed = spending.refresh();
      await settled();
      held.fail();
      await refreshed;
      await expect(spending.reserve(key, paid(61n))).rejects.toMatchObject(REFUSED);
      (await spending.reserve(key, paid(60n))).settle(paid(0n));
    }
    expect(control.warnings).toBe(1);
  });

  test('leaves the memory when idle, but not while a reservation is open or unread', async () => {
    const { spending, control } = setUp();
    const reservation = await spending.reserve(keyUnder([KEY]), paid(40n));
    control.nowMs += 60_000;
    await spending.refresh();
    expect(spending.reservedBy(1)).toEqual(paid(40n));
    reservation.settle(paid(40n));
    control.nowMs += 60_000;
    await spending.refresh();
    expect(spending.size()).toBe(1);
    await spending.refresh();
    expect(spending.size()).toBe(0);
  });

  test('shares one query of each refresh with all other payers', async () => {
    const { spending, reads } = setUp();
    for (const keyId of [1, 2, 3]) await spending.reserve(keyUnder([KEY, CREDIT], keyId), paid(0n));
    for (const keyId of [1, 2, 3]) {
      await spending.reserve(keyUnder([KEY, BUDGET], keyId), paid(1n));
    }
    const before = reads();
    await spending.refresh();
    expect(reads() - before).toBe(1);
  });
});
