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

describe('without a spool', () => {
  test.each(['refusal', 'silence'] as const)(
    'a batch whose answer is lost by %s is added once',
    async (outage) => {
      const ledger = await scene.open();
      await ledger.record(makeGeneration());
      const generations = make(30);
      const lost = scene.proxy.cutAfter('sluice-record-generations', outage);
      const recorded = Promise.all(generations.map((generation) => ledger.record(generation)));
      await lost;
      await scene.proxy.restore();
      await recorded;
      expect(await scene.timesRecorded(idsOf(generations))).toEqual(ones(30));
      expect(await scene.verify()).toMatch(AGREES);
    },
  );

  test('answers wait for Postgres, nothing new is let in, and all goes on when it is back', async () => {
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

test('while Postgres answers and takes no writes, rows go to the spool, and once to the ledger when it does', async () => {
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

test('nothing new is let in while too many rows wait', async () => {
  const ledger = await scene.open({ maxWaiting: 5 });
  scene.proxy.cut('silence');
  const recorded = make(5).map((generation) => ledger.record(generation));
  expect(isClosed(ledger)).toBe(true);
  await scene.proxy.restore();
  await Promise.all(recorded);
  expect(isClosed(ledger)).toBeUndefined();
});

describe('with a spool', () => {
  test.each(['refusal', 'silence'] as const)(
    'answers are released while Postgres is away by %s, and the rows are in the ledger once when it is back',
    async (outage) => {
      const ledger = await scene.open(SPOOL);
      await ledger.record(makeGeneration());
      expect(ledger.isBehind()).toBe(false);
      const generations = make(40);
      const lost = scene.proxy.cutAfter('sluice-record-generations', outage);
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

  test('that is full, nothing new is let in, what is under way is kept, and it opens again by itself', async () => {
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

  test('that cannot be written, nothing new is let in, answers wait, and are kept once it can', async () => {
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

  test('a file that cannot be read does not hold up the others, nor the limits', async () => {
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

  test('what a process left behind is replayed by the next one', async () => {
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
