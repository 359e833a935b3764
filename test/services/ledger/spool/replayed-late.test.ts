/** Replays a spool whose generations are days old. */
import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { newGenerationId } from '../../../../domain/ids.ts';
import { keepPartitions } from '../../../../services/sweep/keep-partitions.ts';
import { eventually } from '../../../support/eventually.ts';
import { type LedgerScene, openLedgerScene } from '../../../support/ledger-scene.ts';
import { makeGeneration } from '../../../support/make-generation.ts';
import { summed } from '../../../support/summed.ts';

let scene: LedgerScene;
beforeEach(async () => {
  scene = await openLedgerScene();
});
afterEach(() => scene.close());

const SPOOL = { spool: { maxBytes: 1_000_000 } };
const NOW = new Date('2026-03-31T10:00:00Z');
const RETENTION_MS = 30 * 86_400_000;

const makeOn = (day: string) => {
  const createdMs = Date.parse(`${day}T12:00:00Z`);
  return makeGeneration({ id: newGenerationId(createdMs), settledAt: new Date(createdMs + 1_000) });
};

test('a late replay counts rows of past days once, and puts those of a dropped day into the rejects', async () => {
  const [known, newest, alone] = [makeOn('2026-03-30'), makeOn('2026-03-30'), makeOn('2026-03-15')];
  const [counted, lost] = [makeOn('2026-02-27'), makeOn('2026-02-27')];
  const ledger = await scene.open(SPOOL);
  await Promise.all([known, counted].map((generation) => ledger.record(generation)));
  await summed(scene.database);
  scene.proxy.cut('refusal');
  // The first two are in Postgres already, as after an answer that was lost.
  for (const generation of [known, counted, newest, alone, lost]) await ledger.record(generation);
  await ledger.close();
  const url = scene.databaseUrl;
  const { dropped } = await keepPartitions({ url, retentionMs: RETENTION_MS, logger: scene.logger }, NOW);
  expect(dropped).toBe(1);

  await scene.proxy.restore();
  await scene.open(SPOOL);
  await eventually('the replay', async () =>
    (await readdir(scene.spoolFolder)).length === 0 ? true : undefined,
  );
  const ids = [known, newest, alone, counted, lost].map(({ id }) => id);
  expect(await scene.timesRecorded(ids)).toEqual([1, 1, 1, 0, 0]);
  const { rows } = await scene.database.query(
    `select generation_id id from generation_rejects where error like '%its day were dropped%'`,
  );
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([counted.id, lost.id]));
  expect(await scene.verify()).toMatch(/^Rejects: 2 answered[^]*The ledger agrees\.$/m);
});
