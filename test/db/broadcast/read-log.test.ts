import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDeliveryStore } from '../../../db/broadcast/delivery-store.ts';
import type { LogPosition } from '../../../db/broadcast/log-position.ts';
import { createLogReadModel, type LogEntry } from '../../../db/broadcast/log-read-model.ts';
import { createLedgerStore } from '../../../db/ledger/ledger-store.ts';
import { type BroadcastScene, openBroadcastScene, type Place } from '../../support/broadcast-scene.ts';
import { makeGeneration } from '../../support/make-generation.ts';

let scene: BroadcastScene;
let place: Place;
let destinationId: string;
beforeAll(async () => {
  scene = await openBroadcastScene();
  place = await scene.addWorkspace();
  const config = { url: 'https://app.example/', method: 'POST' } as const;
  destinationId = await scene.addDestination(place, { type: 'webhook', config });
});
afterAll(() => scene.close());

/** Two of them write the same shard. */
const WRITERS = [0, 1, 1, 2, 15];
const WRITES = 30;

/** Writes in transactions that stay open for different times, some of which are rolled back. Returns what was kept. */
async function write(shard: number, writer: number): Promise<string[]> {
  const kept: string[] = [];
  for (let n = 0; n < WRITES; n += 1) {
    const generation = makeGeneration({ ...place, keyId: writer });
    const isRolledBack = (n + writer) % 7 === 0;
    const writing = scene.knex.transaction(async (transaction) => {
      await createLedgerStore(transaction).record(generation, shard);
      await delay((n * 7 + writer * 3) % 11);
      if (isRolledBack) throw new Error('rolled back');
    });
    if (isRolledBack) await expect(writing).rejects.toThrow('rolled back');
    else kept.push((await writing, generation.id));
  }
  return kept;
}

/** Reads the next entries as a pump does, and moves the cursors behind them. */
async function readNext(limit: number): Promise<LogEntry[]> {
  const log = createLogReadModel(scene.knex);
  const cursors = new Map((await log.cursors(destinationId)).map((cursor) => [cursor.shard, cursor]));
  const { entries } = await log.next({ destinationId, ...place }, limit, null);
  const ends = new Map<number, LogPosition>(entries.map((entry) => [entry.shard, entry]));
  const steps = [...ends.values()].map((to) => ({ from: cursors.get(to.shard)!, to }));
  await createDeliveryStore(scene.knex).advance(destinationId, steps);
  return entries;
}

test('a cursor passes each entry once and in order during concurrent writes', async () => {
  // A transaction of somebody else, with an id and a snapshot, is open all the while.
  const foreign = await scene.database.connect();
  await foreign.query('begin isolation level repeatable read');
  await foreign.query('select pg_current_xact_id(), count(*) from broadcast_log');
  // The clock of the head is ahead of the others': its entries must not be taken for old ones.
  await scene.database.query(
    `update broadcast_heads set moved_at = now() + interval '5 seconds' where workspace_id = $1 and shard = 1`,
    [place.workspaceId],
  );
  let isWriting = true;
  const read: LogEntry[] = [];
  const reading = (async () => {
    // The last look begins after the last commit.
    for (let isLast = false; !isLast;) {
      isLast = !isWriting;
      for (let entries = await readNext(7); entries.length > 0; entries = await readNext(7)) {
        read.push(...entries);
      }
    }
  })();
  const written = await Promise.all(WRITERS.map(write));
  isWriting = false;
  await reading;
  await foreign.query('rollback');
  foreign.release();

  const ids = read.map(({ event }) => event!.generationId);
  expect(ids.toSorted()).toEqual(written.flat().toSorted());
  const latest = new Map<number, LogEntry>();
  for (const entry of read) {
    const before = latest.get(entry.shard);
    expect(entry.pos).toBe((before?.pos ?? 0n) + 1n);
    expect(new Date(entry.movedAt) >= new Date(before?.movedAt ?? 0)).toBe(true);
    latest.set(entry.shard, entry);
  }
  // Within a shard, one writer's generations keep the order in which they were committed.
  for (const [writer, kept] of written.entries()) {
    const order = kept.map((id) => ids.indexOf(id));
    expect([writer, order]).toEqual([writer, order.toSorted((a, b) => a - b)]);
  }
});
