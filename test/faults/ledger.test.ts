import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { runVerifyLedger } from '../../admin/verify-ledger.ts';
import { createDatabase } from '../support/open-database.ts';
import { newUuid } from '../../domain/ids.ts';
import { createOutageDetector } from '../../db/postgres/outage-detector.ts';
import { createLogger } from '../../platform/logger.ts';
import { NO_METRICS } from '../../platform/metrics.ts';
import { openLedger } from '../../services/ledger/open-ledger.ts';
import { eventually } from '../support/eventually.ts';
import { type LedgerProcess, readNotes, startLedgerProcess } from '../support/ledger-processes.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';

const CALLERS = 100;
const ROUNDS = 4;

let postgres: OwnPostgres;
let folder: string;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-crashes-'));
  await mkdir(path.join(folder, 'notes'));
});
afterAll(async () => {
  await postgres.close();
  await rm(folder, { recursive: true, force: true });
});

const spool = () => ({ directory: path.join(folder, 'spool'), maxBytes: 100_000_000 });
const payers = Array.from({ length: 20 }, (_, n) => ({
  organizationId: newUuid(),
  workspaceId: newUuid(),
  keyId: n + 1,
}));

let started = 0;
const startProcess = (): Promise<LedgerProcess> =>
  startLedgerProcess({
    url: postgres.url,
    spool: spool(),
    callers: CALLERS,
    count: 1_000_000,
    payers,
    notes: path.join(folder, 'notes', `${(started += 1)}`),
  });

/** The moment is left to chance on purpose: over the rounds it falls into every step of a batch. */
const aWhile = (atMostMs: number): Promise<void> => delay(Math.random() * atMostMs);

async function acknowledged(): Promise<string[]> {
  const files = await readdir(path.join(folder, 'notes'));
  return (await Promise.all(files.map((name) => readNotes(path.join(folder, 'notes', name))))).flat();
}

/** Until somebody is acknowledged, so that a death interrupts something. */
async function underLoad(): Promise<void> {
  const before = (await acknowledged()).length;
  await eventually('acknowledged generations', async () =>
    (await acknowledged()).length > before ? true : undefined,
  );
}

test('each acknowledged generation is in the ledger once, and all counters agree, after any kill', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const processes = await Promise.all([startProcess(), startProcess()]);
    await underLoad();
    await aWhile(300);
    // A process alone, Postgres alone, Postgres under a process that dies after it, both at once.
    if (round % 4 !== 0) await postgres.kill();
    await aWhile(500);
    if (round % 4 !== 1) await processes[0].kill();
    if (round % 4 === 3) await processes[1].kill();
    if (round % 4 !== 0) await postgres.restart();
    if (round % 4 !== 3) await underLoad();
    for (const { kill } of processes) await kill();
  }

  // The next process finds what all of them left behind.
  const logger = createLogger({ level: 'fatal', name: 'test' });
  const detector = createOutageDetector({ url: postgres.url, logger });
  const ledger = await openLedger({
    url: postgres.url,
    detector,
    spool: spool(),
    shard: 0,
    metrics: NO_METRICS,
    logger,
  });
  await eventually('the replay', async () =>
    (await readdir(spool().directory)).length === 0 ? true : undefined,
  );
  await ledger.close();
  await detector.close();

  const ids = await acknowledged();
  expect(ids.length).toBeGreaterThan(ROUNDS * CALLERS);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query(
    `select w.id, count(g.id)::integer times from unnest($1::text[]) w (id) left join generations g using (id)
     group by 1 having count(g.id) <> 1`,
    [ids],
  );
  await client.end();
  expect(rows).toEqual([]);
  const { knex, close } = createDatabase({ url: postgres.url, poolMax: 1 });
  const { text } = await runVerifyLedger(knex).finally(close);
  expect(text).toMatch(/The ledger agrees\.$/);
});
