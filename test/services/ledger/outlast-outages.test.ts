import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { newUuid } from '../../../domain/ids.ts';
import { createSpool } from '../../../services/ledger/spool/spool.ts';
import { listAside, listSpools } from '../../../services/ledger/spool/spool-files.ts';
import { eventually } from '../../support/eventually.ts';
import { makeGeneration } from '../../support/make-generation.ts';
import { type LedgerScene, openLedgerScene } from '../../support/ledger-scene.ts';

let scene: LedgerScene;
beforeEach(async () => {
  scene = await openLedgerScene();
});
afterEach(() => scene.close());

const SPOOL = { spool: { maxBytes: 1_000_000 } };
const AGREES = /The ledger agrees\.$/;
const make = (count: number) =>
  Array.from({ length: count }, () => makeGeneration({ organizationId: newUuid() }));
const idsOf = (generations: { id: string }[]) => generations.map(({ id }) => id);
const ones = (count: number) => Array.from({ length: count }, () => 1);

describe('a ledger without a spool', () => {
  test.each(['refusal', 'silence'] as const)(
    'adds a batch whose response is lost by %s once',
    async (outage) => {
      const ledger = await scene.open();
      await ledger.record(makeGeneration());
      const generations = make(30);
      const lost = scene.proxy.cutAfter('sluice-append-of-known-apps', outage);
      const recorded = Promise.all(generations.map((generation) => ledger.record(generation)));
      await lost;
      await scene.proxy.restore();
      await recorded;
      expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(30));
      expect(await scene.verify()).toMatch(AGREES);
    },
  );

  test('holds answers and refuses requests with a 503 until Postgres is back', async () => {
    const ledger = await scene.open();
    await ledger.record(makeGeneration());
    ledger.requireOpen();
    scene.proxy.cut('refusal');
    const generations = make(10);
    const recorded = Promise.all(generations.map((generation) => ledger.record(generation)));
    await eventually('a closed door', async () => isClosed(ledger));
    expect(() => ledger.requireOpen()).toThrow(
      expect.objectContaining({ code: 'unavailable', options: { retryAfterSeconds: 5 } }),
    );
    await scene.proxy.restore();
    await recorded;
    await eventually('an open door', async () => !isClosed(ledger) || undefined);
    expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(10));
  });
});

test('a ledger whose Postgres is read-only spools its rows and later writes each once', async () => {
  const operator = new pg.Client({ connectionString: scene.databaseUrl });
  await operator.connect();
  const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
    const database = new URL(scene.databaseUrl).pathname.slice(1);
    await operator.query(`alter database ${database} set default_transaction_read_only = ${value}`);
    // Only new connections have the setting.
    const question = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = $1 and application_name = 'sluice-ledger'`;
    await operator.query(question, [database]);
  };
  const ledger = await scene.open(SPOOL);
  await ledger.record(makeGeneration());
  await setReadOnly('on');
  const generations: GenerationRecord[] = [];
  await eventually('the reason', async () => {
    generations.push(...make(5));
    await Promise.all(generations.slice(-5).map((generation) => ledger.record(generation)));
    return JSON.stringify(scene.errors).includes('in a read-only transaction') || undefined;
  });
  expect(ledger.isBehind()).toBe(true);
  await setReadOnly('off');
  await operator.end();
  await eventually('the replay', async () => !ledger.isBehind() || undefined);
  expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(generations.length));
});

test('a ledger refuses new requests while as many rows wait as it allows', async () => {
  const ledger = await scene.open({ maxWaiting: 5 });
  scene.proxy.cut('silence');
  const recorded = make(5).map((generation) => ledger.record(generation));
  expect(isClosed(ledger)).toBe(true);
  await scene.proxy.restore();
  await Promise.all(recorded);
  expect(isClosed(ledger)).toBeUndefined();
});

describe('a ledger with a spool', () => {
  test.each(['refusal', 'silence'] as const)(
    'acknowledges rows during an outage by %s and writes each once after it',
    async (outage) => {
      const ledger = await scene.open(SPOOL);
      await ledger.record(makeGeneration());
      expect(ledger.isBehind()).toBe(false);
      const generations = make(40);
      const lost = scene.proxy.cutAfter('sluice-append-of-known-apps', outage);
      const first = Promise.all(generations.slice(0, 20).map((generation) => ledger.record(generation)));
      await lost;
      await first;
      await Promise.all(generations.slice(20).map((generation) => ledger.record(generation)));
      ledger.requireOpen();
      expect(ledger.isBehind()).toBe(true);
      await scene.proxy.restore();
      await eventually('the replay', async () => !ledger.isBehind() || undefined);
      expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(40));
      expect(await readdir(scene.spoolFolder)).toEqual([]);
      expect(await scene.verify()).toMatch(AGREES);
    },
  );

  test('refuses requests while the spool is full, keeps in-flight rows and reopens by itself', async () => {
    const ledger = await scene.open({ spool: { maxBytes: 10_000 } });
    await ledger.record(makeGeneration());
    scene.proxy.cut('refusal');
    const generations = make(60);
    for (const generation of generations) await ledger.record(generation);
    expect(isClosed(ledger)).toBe(true);
    await scene.proxy.restore();
    await eventually('an open door', async () => !isClosed(ledger) || undefined);
    await eventually('the replay', async () => !ledger.isBehind() || undefined);
    expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(60));
  });

  test("refuses requests and holds answers while the spool's folder is missing", async () => {
    const ledger = await scene.open(SPOOL);
    await ledger.record(makeGeneration());
    await rm(scene.spoolFolder, { recursive: true });
    scene.proxy.cut('refusal');
    const generations = make(5);
    const recorded = Promise.all(generations.map((generation) => ledger.record(generation)));
    await eventually('a complaint', async () =>
      scene.errors.find(({ msg }) => String(msg).startsWith('the spool cannot be written')),
    );
    expect(isClosed(ledger)).toBe(true);
    await mkdir(scene.spoolFolder);
    await recorded;
    expect([isClosed(ledger), ledger.isBehind()]).toEqual([undefined, true]);
    await scene.proxy.restore();
    await eventually('the replay', async () => !ledger.isBehind() || undefined);
    expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(5));
  });

  test('sets an unreadable file aside and replays the others', async () => {
    const left = await createSpool({ directory: scene.spoolFolder, maxBytes: 1_000_000 });
    const generations = make(3);
    for (const generation of generations) {
      await left.append([generation]);
      await left.rotate();
    }
    // Of processes that are gone. The first is a directory.
    const files = await listSpools(scene.spoolFolder);
    const abandoned = files.map((file) => file.replace(`~${process.pid}~`, `~${2 ** 22 + 1}~`));
    for (const [n, file] of files.entries()) await rename(file, abandoned[n]!);
    await rm(abandoned[0]!);
    await mkdir(abandoned[0]!);
    const ledger = await scene.open(SPOOL);
    expect(ledger.isBehind()).toBe(false);
    await eventually('the others', async () =>
      (await scene.timesRecorded(idsOf(generations))).join() === '0,1,1' ? true : undefined,
    );
    await eventually('an alert', async () =>
      scene.errors.find(({ msg }) => String(msg).startsWith('a spool cannot be read')),
    );
    expect([await listSpools(scene.spoolFolder), ledger.isBehind()]).toEqual([[], false]);
    expect(await listAside(scene.spoolFolder)).toHaveLength(1);
  });

  test('replays the spool of a process that has ended', async () => {
    const first = await scene.open(SPOOL);
    scene.proxy.cut('refusal');
    const generations = make(10);
    await Promise.all(generations.map((generation) => first.record(generation)));
    await first.close();
    expect(await readdir(scene.spoolFolder)).toHaveLength(1);
    await scene.proxy.restore();
    await scene.open(SPOOL);
    await eventually('an empty folder', async () =>
      (await readdir(scene.spoolFolder)).length === 0 ? true : null,
    );
    expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(10));
  });
});

function isClosed(ledger: { requireOpen(): void }): true | undefined {
  try {
    ledger.requireOpen();
    return undefined;
  } catch {
    return true;
  }
}
