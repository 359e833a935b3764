import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createLedgerConnection } from '../../../db/ledger/ledger-connection.ts';
import { createLedgerStore } from '../../../db/ledger/ledger-store.ts';
import { newUuid } from '../../../domain/ids.ts';
import { writeBatch } from '../../../services/ledger/write-batch.ts';
import { addLoggedWorkspace } from '../../support/broadcast-log.ts';
import { type LedgerScene, openLedgerScene } from '../../support/ledger-scene.ts';
import { makeGeneration } from '../../support/make-generation.ts';

let scene: LedgerScene;
let database: Database;
beforeAll(async () => {
  scene = await openLedgerScene();
  database = createDatabase({ url: scene.databaseUrl, poolMax: 6 });
  await createLedgerStore(database.knex).ensurePartition(new Date());
});
afterAll(async () => {
  await database.close();
  await scene.close();
});

interface LogRow {
  shard: number;
  pos: number;
  id: string;
  facts: unknown;
}

async function logOf(workspaceId: string): Promise<LogRow[]> {
  const { rows } = await scene.database.query<LogRow>(
    `select shard, pos::integer, generation_id id, facts from broadcast_log where workspace_id = $1 order by shard, pos`,
    [workspaceId],
  );
  return rows;
}

const connect = (shard = 3) => createLedgerConnection({ url: scene.databaseUrl, shard, silenceMs: 5_000 });

test('a batch is logged in the order of its ids, for logged workspaces only', async () => {
  const logged = await addLoggedWorkspace(scene.database);
  const switchedOff = await addLoggedWorkspace(scene.database, { isLogged: false });
  const other = { organizationId: newUuid(), workspaceId: newUuid() };
  const rows = [logged, switchedOff, other, logged].map((place, n) =>
    makeGeneration({ ...place, keyId: n, broadcast: { requestModel: `model-${n}` } }),
  );
  const connection = connect();
  expect(await connection.record(rows)).toEqual([logged.workspaceId]);
  expect(await connection.record([makeGeneration(other)])).toEqual([]);
  await connection.close();
  const expected = [rows[0]!, rows[3]!].sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(await logOf(logged.workspaceId)).toEqual(
    expected.map(({ id, broadcast }, n) => ({ shard: 3, pos: n + 1, id, facts: broadcast })),
  );
  expect(await logOf(switchedOff.workspaceId)).toEqual([]);
});

test('a generation recorded twice, within a batch or later, is logged once', async () => {
  const place = await addLoggedWorkspace(scene.database);
  const generation = makeGeneration(place);
  const connection = connect();
  await connection.record([generation, generation]);
  await connection.record([generation]);
  await connection.close();
  expect(await logOf(place.workspaceId)).toMatchObject([{ pos: 1, id: generation.id }]);
});

test('a transaction that is rolled back leaves no gap in the positions', async () => {
  const place = await addLoggedWorkspace(scene.database);
  const ledger = createLedgerStore(database.knex);
  await ledger.record(makeGeneration(place), 0);
  const failing = database.knex.transaction(async (transaction) => {
    await createLedgerStore(transaction).record(makeGeneration(place), 0);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await ledger.record(makeGeneration(place), 0);
  expect((await logOf(place.workspaceId)).map(({ pos }) => pos)).toEqual([1, 2]);
});

test('a generation that ended before logging began is not logged', async () => {
  const place = await addLoggedWorkspace(scene.database);
  const late = makeGeneration({ ...place, settledAt: new Date(Date.now() - 60_000) });
  const present = makeGeneration(place);
  const connection = connect();
  await connection.record([late, present]);
  await connection.close();
  expect(await logOf(place.workspaceId)).toMatchObject([{ pos: 1, id: present.id }]);
});

test('a reader that follows positions sees every generation during concurrent writes', async () => {
  const place = await addLoggedWorkspace(scene.database);
  // An open transaction of a stranger must hold nothing up.
  const foreign = await scene.database.connect();
  await foreign.query('begin; select pg_current_xact_id(); create temporary table t ()');
  const seen: { shard: number; pos: number }[] = [];
  const last = new Map<number, number>();
  let isWriting = true;
  const read = async (): Promise<void> => {
    for (const { shard, pos } of await logOf(place.workspaceId)) {
      if (pos <= (last.get(shard) ?? 0)) continue;
      seen.push({ shard, pos });
      last.set(shard, pos);
    }
  };
  const reading = (async () => {
    while (isWriting) await read();
    await read();
  })();
  // Two of the four write the same shard.
  const written = await Promise.all(
    [0, 1, 1, 2].map(async (shard, writer) => {
      let kept = 0;
      for (let n = 0; n < 40; n += 1) {
        const rolledBack = (n + writer) % 10 === 0;
        await database.knex
          .transaction(async (transaction) => {
            await createLedgerStore(transaction).record(makeGeneration({ ...place, keyId: writer }), shard);
            await delay((n * 7 + writer * 3) % 5);
            if (rolledBack) throw new Error('rolled back');
            kept += 1;
          })
          .catch((error: Error) => {
            if (error.message !== 'rolled back') throw error;
          });
      }
      return kept;
    }),
  );
  isWriting = false;
  await reading;
  await foreign.query('rollback');
  foreign.release();
  expect(seen).toHaveLength(written.reduce((sum, n) => sum + n, 0));
  // Nothing was seen after something later, and there is no gap.
  const next = new Map<number, number>();
  for (const { shard, pos } of seen) {
    expect(pos).toBe((next.get(shard) ?? 0) + 1);
    next.set(shard, pos);
  }
});

test('concurrent batches over the same workspaces cause no deadlock', async () => {
  const places = await Promise.all(Array.from({ length: 20 }, () => addLoggedWorkspace(scene.database)));
  await Promise.all(
    [false, true, false, true].map(async (isReversed) => {
      const connection = connect(7);
      const order = isReversed ? places.toReversed() : places;
      for (let n = 0; n < 15; n += 1) {
        await connection.record(order.map((place) => makeGeneration({ ...place, keyId: n })));
      }
      await connection.close();
    }),
  );
  const { rows } = await scene.database.query(
    `select (select count(*)::integer from broadcast_log where workspace_id = any($1)) logged,
            (select deadlocks::integer from pg_stat_database where datname = current_database()) deadlocks`,
    [places.map(({ workspaceId }) => workspaceId)],
  );
  expect(rows).toEqual([{ logged: 1_200, deadlocks: 0 }]);
});

test('a missing hourly partition is created by the batch that needs it', async () => {
  const place = await addLoggedWorkspace(scene.database);
  // As if the clock of the heads had gone ahead.
  await scene.database.query(
    `update broadcast_heads set moved_at = now() + interval '3 days' where workspace_id = $1`,
    [place.workspaceId],
  );
  const connection = connect();
  const logged: string[] = [];
  const onLogged = (ids: readonly string[]): void => void logged.push(...ids);
  await writeBatch({ connection, onLogged, logger: scene.logger }, [makeGeneration(place)]);
  await connection.close();
  expect(logged).toEqual([place.workspaceId]);
  expect(await logOf(place.workspaceId)).toHaveLength(1);
});
