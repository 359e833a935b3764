/** Stops backends of Postgres in the middle of the ledger's statements, as a virtual machine that is paused does. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { timestampOfId } from '../../../domain/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { type LedgerScene, openLedgerScene } from '../../support/ledger-scene.ts';
import { makeGeneration } from '../../support/make-generation.ts';
import { summed } from '../../support/summed.ts';

let scene: LedgerScene;
let holder: pg.Client;
let stopped: number[];
beforeEach(async () => {
  scene = await openLedgerScene();
  stopped = [];
  holder = new pg.Client({ connectionString: scene.databaseUrl });
  await holder.connect();
  await holder.query('begin');
});
afterEach(async () => {
  resume();
  await holder.end();
  await scene.close();
});

const SPOOL = { spool: { maxBytes: 1_000_000 } };
const AGREES = /The ledger agrees\.$/;

/** Returns the ledger's backends that wait for the holder of a lock, or for each other. */
async function waiting(): Promise<number[]> {
  const { rows } = await scene.database.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database()
       and application_name = 'sluice-ledger' and wait_event_type = 'Lock'`,
  );
  return rows.map(({ pid }) => pid);
}

/** Stops the backend that waits for the holder, which then lets it pass. */
async function freeze(): Promise<void> {
  const pid = await eventually('a statement that waits', async () => (await waiting())[0]);
  process.kill(pid, 'SIGSTOP');
  stopped.push(pid);
  await holder.query('rollback');
}

function resume(): void {
  for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT');
}

test.each<[string, (held: GenerationRecord) => pg.QueryConfig]>([
  ['before it writes', () => ({ text: 'lock table generation_details in share mode' })],
  [
    'between its row and its commit',
    ({ id }) => ({
      text: 'insert into generation_details (created_at, id) values ($1, $2)',
      values: [new Date(timestampOfId(id)), id],
    }),
  ],
])('a batch whose backend freezes %s counts once, as do later batches', async (_, lock) => {
  const ledger = await scene.open(SPOOL);
  await ledger.record(makeGeneration());
  const generations = [makeGeneration()];
  await holder.query(lock(generations[0]!));
  const recorded = ledger.record(generations[0]!);
  await freeze();
  await recorded;
  expect(ledger.isBehind()).toBe(true);
  await eventually('a later row in Postgres', async () => {
    const later = makeGeneration();
    generations.push(later);
    await ledger.record(later);
    return (await scene.timesRecorded([later.id]))[0] === 1 ? true : undefined;
  });
  resume();
  await eventually('the replay', async () => !ledger.isBehind() || undefined);
  expect(await scene.timesRecorded(generations.map(({ id }) => id))).toEqual(generations.map(() => 1));
  await summed(scene.database);
  expect(await scene.verify()).toMatch(AGREES);
});

test('rows whose sum freezes before its commit count once, also when another process sums them', async () => {
  const [first, second] = [await scene.open(), await scene.open({ shard: 1 })];
  await holder.query('select from ledger_sums for update');
  for (let n = 0; n < 3; n += 1) await first.record(makeGeneration());
  await freeze();
  await second.record(makeGeneration());
  await eventually('a second sum, which waits for the first', async () => (await waiting())[0]);
  expect(await scene.verify()).toMatch(AGREES);
  resume();
  await summed(scene.database);
  expect(await scene.verify()).toMatch(AGREES);
});
