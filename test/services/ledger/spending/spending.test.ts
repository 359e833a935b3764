import { describe, expect, test } from '@jest/globals';
import { settled } from './simulated-counters.ts';
import { BUDGET, byok, CREDIT, KEY, keyUnder, paid, REFUSED, setUp } from './spending-setup.ts';

describe('a key without a limit', () => {
  test('reserves without a read and without an entry in memory', async () => {
    const { spending, reads } = setUp();
    const first = spending.reserve(keyUnder(undefined), paid(1_000_000n));
    (await first).settle(paid(5n));
    expect([spending.size(), reads()]).toEqual([0, 0]);
  });

  test('an estimate of zero needs no entry even for a limited key', async () => {
    const { spending } = setUp();
    (await spending.reserve(keyUnder([{ ...KEY, limit: 0n }]), paid(0n))).settle(paid(0n));
    expect(spending.size()).toBe(0);
  });
});

describe('a cost committed without a reservation', () => {
  test('counts at once for a payer in memory, and once when the counters show it', async () => {
    const { spending, commit } = setUp();
    const key = keyUnder([KEY, CREDIT]);
    (await spending.reserve(keyUnder([KEY]), paid(1n))).settle(paid(0n));
    commit(paid(60n));
    spending.note(key, paid(60n));
    await expect(spending.reserve(keyUnder([KEY]), paid(41n))).rejects.toMatchObject(REFUSED);
    await spending.refresh();
    await expect(spending.reserve(keyUnder([KEY]), paid(41n))).rejects.toMatchObject(REFUSED);
    await spending.reserve(keyUnder([KEY]), paid(40n));
  });

  test('adds no entry for a payer that is not in memory', async () => {
    const { spending, commit } = setUp();
    commit(paid(60n));
    spending.note(keyUnder([KEY]), paid(60n));
    expect(spending.size()).toBe(0);
    await spending.reserve(keyUnder([KEY]), paid(40n));
  });
});

describe('a refresh', () => {
  test('reports the counters of each payer with the ceiling of its last request', async () => {
    const { spending, commit, refreshed } = setUp();
    const key = keyUnder([KEY, BUDGET]);
    (await spending.reserve(key, paid(10n))).settle(paid(5n));
    expect(refreshed).toEqual([]);
    commit(paid(5n));
    await spending.refresh();
    const facts = refreshed.map(({ payer, ceiling, counters }) => [payer.kind, ceiling, counters?.spent]);
    expect(facts).toEqual([
      ['key', KEY, paid(5n)],
      ['workspace', BUDGET, paid(5n)],
    ]);
  });

  test('reports no counters when its read fails', async () => {
    const { spending, held, refreshed } = setUp({ holdReads: true });
    const reserving = spending.reserve(keyUnder([KEY]), paid(10n));
    await settled();
    held.deliver();
    (await reserving).settle(paid(0n));
    const refreshing = spending.refresh();
    await settled();
    held.fail();
    await refreshing;
    expect(refreshed).toEqual([]);
  });
});

describe('a reservation', () => {
  test('counts once for a payer whose ceilings do not stand together', async () => {
    const { spending } = setUp();
    await spending.reserve(keyUnder([KEY, BUDGET, { ...KEY, interval: 'daily' }]), paid(60n));
    expect(spending.reservedBy(1)).toEqual(paid(60n));
  });

  test('may take the last nanodollar and holds it until it is settled', async () => {
    const { spending } = setUp();
    const key = keyUnder([KEY]);
    const first = await spending.reserve(key, paid(60n));
    await expect(spending.reserve(key, paid(41n))).rejects.toMatchObject(REFUSED);
    const second = await spending.reserve(key, paid(40n));
    await expect(spending.reserve(key, paid(1n))).rejects.toMatchObject(REFUSED);
    expect(spending.reservedBy(1)).toEqual(paid(100n));
    first.settle(paid(0n));
    second.settle(paid(0n));
    expect(spending.reservedBy(1)).toEqual(paid(0n));
    await spending.reserve(key, paid(100n));
  });

  test('returns its amount once, however often it is settled', async () => {
    const { spending } = setUp();
    const key = keyUnder([KEY]);
    const reservation = await spending.reserve(key, paid(60n));
    const other = await spending.reserve(key, paid(40n));
    reservation.settle(paid(10n));
    reservation.settle(paid(10n));
    reservation.settle(paid(0n));
    expect(spending.reservedBy(1)).toEqual(paid(40n));
    await expect(spending.reserve(key, paid(51n))).rejects.toMatchObject(REFUSED);
    other.settle(paid(0n));
    await spending.reserve(key, paid(90n));
  });

  test('leaves no hold or entry at any payer when it is refused', async () => {
    const { spending, control } = setUp();
    const key = keyUnder([KEY, CREDIT, BUDGET]);
    await expect(spending.reserve(key, paid(10n))).rejects.toMatchObject({ code: 'insufficient_credits' });
    expect(spending.reservedBy(1)).toEqual(paid(0n));
    control.nowMs += 10_001;
    await spending.refresh();
    expect(spending.size()).toBe(0);
  });

  test("names the key's limit first, then the credit, then a budget in its refusal", async () => {
    const { spending, postgres } = setUp();
    const under = keyUnder([KEY, CREDIT, { ...BUDGET, limit: 50n }]);
    await expect(spending.reserve(under, paid(101n))).rejects.toMatchObject(REFUSED);
    await expect(spending.reserve(under, paid(100n))).rejects.toMatchObject({
      options: { publicMessage: 'Insufficient credits. Add credits at https://pay.example' },
    });
    postgres.addCredit(1_000n);
    await spending.refresh();
    await expect(spending.reserve(under, paid(51n))).rejects.toMatchObject({ code: 'budget_exceeded' });
    await spending.reserve(under, paid(50n));
  });

  test('counts BYOK usage only under a ceiling that includes it', async () => {
    const { spending } = setUp();
    const included = { ...KEY, includeByok: true };
    await expect(spending.reserve(keyUnder([included]), byok(101n))).rejects.toMatchObject(REFUSED);
    const apart = await spending.reserve(keyUnder([{ ...KEY, limit: 0n }], 2), byok(1_000n));
    apart.settle(byok(1_000n));
    const reservation = await spending.reserve(keyUnder([included]), byok(60n));
    reservation.settle(byok(60n));
    await expect(spending.reserve(keyUnder([included]), paid(41n))).rejects.toMatchObject(REFUSED);
  });

  test('counts for all keys of the workspace and the organization', async () => {
    const { spending } = setUp();
    const [first, second] = [keyUnder([BUDGET], 1), keyUnder([BUDGET], 2)];
    await spending.reserve(first, paid(60n));
    await expect(spending.reserve(second, paid(41n))).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  test('holds its amount against every budget of the workspace once', async () => {
    const { spending } = setUp();
    const key = keyUnder([BUDGET, { ...BUDGET, interval: 'lifetime' }]);
    const reservation = await spending.reserve(key, paid(60n));
    await spending.reserve(key, paid(40n));
    reservation.settle(paid(0n));
    await spending.reserve(key, paid(60n));
  });
});

describe('a settled cost', () => {
  test('counts from its settlement, and once when the next read contains it', async () => {
    const { spending, commit } = setUp();
    const key = keyUnder([KEY]);
    const reservation = await spending.reserve(key, paid(100n));
    commit(paid(30n));
    reservation.settle(paid(30n));
    await expect(spending.reserve(key, paid(71n))).rejects.toMatchObject(REFUSED);
    await spending.refresh();
    await expect(spending.reserve(key, paid(71n))).rejects.toMatchObject(REFUSED);
    await spending.reserve(key, paid(70n));
  });

  test('counts when it is committed after the snapshot of a read in flight', async () => {
    const { spending, commit, held } = setUp({ holdReads: true });
    const key = keyUnder([KEY]);
    const reserved = spending.reserve(key, paid(100n));
    await settled();
    held.deliver();
    const reservation = await reserved;
    const refreshed = spending.refresh();
    await settled();
    held.snapshot();
    commit(paid(30n));
    reservation.settle(paid(30n));
    held.deliver();
    await refreshed;
    await expect(spending.reserve(key, paid(71n))).rejects.toMatchObject(REFUSED);
    await spending.reserve(key, paid(70n));
  });

  test('counts twice until the next read when a read contained it before settlement', async () => {
    const { spending, commit, held } = setUp({ holdReads: true });
    const key = keyUnder([KEY]);
    const reserved = spending.reserve(key, paid(40n));
    await settled();
    held.deliver();
    const reservation = await reserved;
    const refreshed = spending.refresh();
    await settled();
    commit(paid(40n));
    held.snapshot();
    reservation.settle(paid(40n));
    held.deliver();
    await refreshed;
    await expect(spending.reserve(key, paid(60n))).rejects.toMatchObject(REFUSED);
    const again = spending.refresh();
    await settled();
    held.deliver();
    await again;
    await spending.reserve(key, paid(60n));
  });

  test('counts until the spool is empty while the ledger is behind', async () => {
    const { spending, commit, control } = setUp();
    const key = keyUnder([KEY]);
    (await spending.reserve(key, paid(100n))).settle(paid(60n));
    control.isLedgerBehind = true;
    await spending.refresh();
    await expect(spending.reserve(key, paid(41n))).rejects.toMatchObject(REFUSED);
    commit(paid(60n));
    control.isLedgerBehind = false;
    await spending.refresh();
    await spending.reserve(key, paid(40n));
  });

  test('counts in full even if it exceeds the estimate', async () => {
    const { spending } = setUp();
    const key = keyUnder([KEY]);
    (await spending.reserve(key, paid(1n))).settle(paid(150n));
    await expect(spending.reserve(key, paid(1n))).rejects.toMatchObject(REFUSED);
  });

  test('costs of other replicas and holds of open jobs count from the next read', async () => {
    const { spending, commit, postgres } = setUp();
    const key = keyUnder([KEY]);
    (await spending.reserve(key, paid(1n))).settle(paid(0n));
    commit(paid(50n));
    const job = { key: 1, organization: '', workspace: '', ...paid(20n), day: 0 };
    postgres.jobs.push(job);
    await spending.refresh();
    await expect(spending.reserve(key, paid(31n))).rejects.toMatchObject(REFUSED);
    await spending.reserve(key, paid(30n));
  });
});

describe('an output without a limit of its own', () => {
  const output = (least: bigint, most: bigint | null) => ({
    least,
    most,
    tokensFor: (money: bigint) => Number(money) * 2,
  });
  const asking = (usage: bigint, least: bigint, most: bigint | null) => ({
    ...paid(usage),
    output: output(least, most),
  });
  const LIMITED = keyUnder([{ ...KEY, limit: 1_600n }]);

  test('holds a sixteenth of what other holds leave', async () => {
    const { spending } = setUp();
    expect((await spending.reserve(LIMITED, asking(10n, 1n, 500n))).held).toBe(110n);
    expect((await spending.reserve(LIMITED, asking(10n, 1n, null))).held).toBe(10n + (1_600n - 110n) / 16n);
  });

  test('holds at most its maximum and at least its minimum', async () => {
    const { spending } = setUp();
    expect((await spending.reserve(LIMITED, asking(10n, 1n, 50n))).held).toBe(60n);
    expect((await spending.reserve(LIMITED, asking(10n, 300n, 500n))).held).toBe(310n);
  });

  test('holds what the rest of the request leaves of the tightest ceiling', async () => {
    const { spending } = setUp();
    const both = keyUnder([
      { ...KEY, limit: 1_600n },
      { ...BUDGET, limit: 160n },
    ]);
    expect((await spending.reserve(both, asking(155n, 1n, 500n))).held).toBe(160n);
  });

  test('refuses an output whose minimum does not fit and names the affordable tokens', async () => {
    const { spending } = setUp();
    const refused = spending.reserve(LIMITED, asking(1_500n, 101n, 500n));
    await expect(refused).rejects.toMatchObject({ ...REFUSED, options: { affordableTokens: 200 } });
    const nothing = spending.reserve(LIMITED, asking(1_700n, 1n, 500n));
    await expect(nothing).rejects.toMatchObject({ options: { affordableTokens: 0 } });
    expect(spending.reservedBy(1)).toEqual(paid(0n));
  });

  test('leaves room for thirty requests at once with twenty dollars', async () => {
    const { spending } = setUp();
    const dollars = (amount: number) => BigInt(Math.round(amount * 1e9));
    const twenty = keyUnder([{ ...KEY, limit: dollars(20) }]);
    // 1,024 and 128,000 tokens at 75 dollars a million.
    const amounts = asking(dollars(0.01), dollars(0.0768), dollars(9.6));
    const reservations = await Promise.all(
      Array.from({ length: 30 }, () => spending.reserve(twenty, amounts)),
    );
    expect(reservations[0]!.held).toBe(dollars(0.01) + dollars(20) / 16n);
    expect(reservations.every(({ held }) => held > dollars(0.0868))).toBe(true);
  });
});
