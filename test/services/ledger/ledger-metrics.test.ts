import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMetrics } from '../../../platform/create-metrics.ts';
import { openLedger } from '../../../services/ledger/open-ledger.ts';
import { type LedgerScene, openLedgerScene } from '../../support/ledger-scene.ts';
import { makeGeneration } from '../../support/make-generation.ts';
import { CLOSED_PORT } from '../../support/replica.ts';
import { readScrape } from '../../support/scrape.ts';

let scene: LedgerScene;
beforeAll(async () => {
  scene = await openLedgerScene();
});
afterAll(() => scene.close());

test('rows written together count as one batch, and each row reports its wait', async () => {
  const metrics = createMetrics(0);
  const ledger = await scene.open({ metrics });
  await Promise.all([1, 2, 3].map(() => ledger.record(makeGeneration())));
  await ledger.record(makeGeneration());
  const { value } = readScrape(await metrics.text());
  expect(value('sluice_ledger_batch_rows_count')).toBe(2);
  expect(value('sluice_ledger_batch_rows_sum')).toBe(4);
  expect(value('sluice_ledger_wait_seconds_count')).toBe(4);
});

test('a row in the spool reports its wait, and the spool reports its size', async () => {
  const metrics = createMetrics(0);
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-spool-'));
  const url = `postgres://nobody@${CLOSED_PORT}/none`;
  const spool = { directory, maxBytes: 10_000 };
  const ledger = await openLedger({
    url,
    detector: scene.detector,
    spool,
    shard: 0,
    metrics,
    logger: scene.logger,
  });
  try {
    await ledger.record(makeGeneration());
    const { value } = readScrape(await metrics.text());
    expect(value('sluice_ledger_wait_seconds_count')).toBe(1);
    expect(value('sluice_spool_bytes')).toBeGreaterThan(100);
    expect(value('sluice_spool_limit_bytes')).toBe(10_000);
  } finally {
    await ledger.close();
    await rm(directory, { recursive: true });
  }
});

test('a ledger without a spool reports no metric of a spool', async () => {
  const metrics = createMetrics(0);
  const url = `postgres://nobody@${CLOSED_PORT}/none`;
  const ledger = await openLedger({ url, detector: scene.detector, shard: 0, metrics, logger: scene.logger });
  await ledger.close();
  expect(readScrape(await metrics.text()).series.filter((name) => name.includes('spool'))).toEqual([]);
});
