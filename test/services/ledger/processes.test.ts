import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newUuid } from '../../../domain/ids.ts';
import { readNotes, startLedgerProcess } from '../../support/ledger-processes.ts';
import { type LedgerScene, openLedgerScene } from '../../support/ledger-scene.ts';

let scene: LedgerScene;
let folder: string;
beforeAll(async () => {
  scene = await openLedgerScene();
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-notes-'));
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true, force: true });
});

test('four processes, one of them paused, write 6,000 rows without deadlock, reject, loss or repetition', async () => {
  // Many more than a batch has rows: batches share some of their customers and not others.
  const payers = Array.from({ length: 200 }, (_, n) => ({
    organizationId: newUuid(),
    workspaceId: newUuid(),
    keyId: n + 1,
  }));
  // Three of them write the same shard, as processes whose numbers agree do.
  const notes = [0, 2, 2, 2].map((shard, n) => ({ shard, notes: path.join(folder, `${n}`) }));
  const load = { url: scene.databaseUrl, callers: 40, count: 1_500, payers };
  const processes = await Promise.all(notes.map((own) => startLedgerProcess({ ...load, ...own })));
  // Its rows wait for their sums, and its statements for their commits, while the others sum.
  const [paused, ...others] = processes;
  paused!.pause();
  await Promise.all(others.map(({ ended }) => ended)).finally(() => paused!.resume());
  await paused!.ended;

  const { rows } = await scene.database.query(
    `select (select deadlocks::integer from pg_stat_database where datname = current_database()) deadlocks,
            (select count(*)::integer from generation_rejects) rejects,
            (select count(*)::integer from generations) generations,
            (select count(*)::integer from apps) apps`,
  );
  expect(rows).toEqual([{ deadlocks: 0, rejects: 0, generations: 6_000, apps: 20 }]);
  const acknowledged = (await Promise.all(notes.map((own) => readNotes(own.notes)))).flat();
  expect(acknowledged).toHaveLength(6_000);
  expect(await scene.verify()).toMatch(/The ledger agrees\.$/);
});
