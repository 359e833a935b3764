import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '../../../platform/logger.ts';
import { keepBroadcastLog, type KeptLog } from '../../../services/broadcast/keep-log.ts';
import { type BroadcastScene, generationsIn, type Place } from '../../support/broadcast-scene.ts';
import { usePumpScene } from '../../support/pump-scene.ts';
import type { Receiver } from '../../support/receiver.ts';

const HOUR_MS = 3_600_000;
const logger = createLogger({ level: 'silent', name: 'test' });

let scene: BroadcastScene;
let receiver: Receiver;
let place: Place;
let id: string;
usePumpScene((fresh) => ({ scene, receiver, place } = fresh));
beforeEach(async () => {
  id = await scene.addDestination(place, { type: 'webhook', config: { url: receiver.url, method: 'POST' } });
});
afterEach(async () => {
  await scene.database.query('delete from observability_destinations');
});

/** As if the given number of hours had passed since the heads of the workspace were last moved. */
const keepAfter = (hours: number): Promise<KeptLog> =>
  keepBroadcastLog({ knex: scene.knex, logger }, new Date(Date.now() + hours * HOUR_MS));

/** How many generations of the workspace the log holds. */
async function logged(): Promise<number> {
  const { rowCount } = await scene.database.query('select from broadcast_log where workspace_id = $1', [
    place.workspaceId,
  ]);
  return rowCount ?? 0;
}

async function progressOf(destinationId: string): Promise<{ givenUp: number; backlog: number }> {
  const { rows } = await scene.database.query<{ givenUp: number; backlog: number }>(
    `select p.given_up::integer "givenUp", (
       select sum(h.pos - c.pos)::integer from broadcast_cursors c
       join broadcast_heads h on h.workspace_id = $2 and h.shard = c.shard where c.destination_id = $1) backlog
     from broadcast_progress p where p.destination_id = $1`,
    [destinationId, place.workspaceId],
  );
  return rows[0]!;
}

test('an hour of the log is dropped only once every destination has passed it', async () => {
  await scene.record(place, 3);
  await keepAfter(2);
  expect(await logged()).toBe(3);
  await scene.pump(id);
  expect(await keepAfter(2)).toMatchObject({ busy: 0, givenUp: 0 });
  expect(await logged()).toBe(0);
  expect(receiver.received.flatMap(({ body }) => generationsIn(body))).toHaveLength(3);
  await scene.database.query('select ensure_broadcast_partitions(1)');
});

test("a disabled destination's backlog is given up and counted after 72 hours", async () => {
  await scene.database.query('update observability_destinations set enabled = false where id = $1', [id]);
  await scene.record(place, 4, {}, 1);
  await scene.record(place, 2, {}, 2);
  expect(await keepAfter(71)).toMatchObject({ givenUp: 0 });
  expect(await logged()).toBe(6);
  expect(await keepAfter(74)).toMatchObject({ givenUp: 6 });
  expect(await progressOf(id)).toEqual({ givenUp: 6, backlog: 0 });

  await scene.database.query('select ensure_broadcast_partitions(1)');
  await scene.database.query('update observability_destinations set enabled = true where id = $1', [id]);
  const later = await scene.record(place, 1, {}, 1);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receiver.received.flatMap(({ body }) => generationsIn(body))).toEqual(later);
});

test('a batch in back-off is given up with its hour, blocking no later ones', async () => {
  receiver.answers.splice(0, 1, { status: 503 }, { status: 200 });
  await scene.record(place, 2);
  expect(await scene.pump(id)).toMatchObject({ kind: 'back_off' });
  expect(await keepAfter(74)).toMatchObject({ givenUp: 2 });
  await scene.database.query('select ensure_broadcast_partitions(1)');
  const later = await scene.record(place, 1);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(generationsIn(receiver.received.at(-1)!.body)).toEqual(later);
});

test('failed attempts and dead letters are deleted after seven days, successes are kept', async () => {
  await scene.database.query(
    `insert into broadcast_attempts (destination_id, slot, at, outcome, events, took_ms)
     select $1, slot, at, 'failed', 1, 1
     from (values (null::smallint, now() - interval '8 days'), (null, now() - interval '6 days'), (5, now() - interval '8 days')) a (slot, at)`,
    [id],
  );
  await scene.database.query(
    `insert into broadcast_dead_letters (id, destination_id, created_at, generation_id, reason, died_at)
     select gen_random_uuid(), $1, now(), age, 'no', now() - age::interval from unnest(array['8 days', '6 days']) age`,
    [id],
  );
  await keepAfter(0);
  const { rows } = await scene.database.query(
    `select (select count(*)::integer from broadcast_attempts where destination_id = $1) attempts,
            (select array_agg(generation_id) from broadcast_dead_letters where destination_id = $1) letters`,
    [id],
  );
  expect(rows).toEqual([{ attempts: 2, letters: ['6 days'] }]);
});

test('prompts and answers are dropped after 72 hours', async () => {
  await scene.database.query(
    `select ensure_broadcast_bodies_partition(now() - age) from unnest(array['80 hours', '60 hours']::interval[]) age`,
  );
  await scene.database.query(
    `insert into broadcast_bodies (settled_at, generation_id, size, sealed)
     select now() - age, age::text, 1, ''
     from unnest(array['80 hours', '60 hours']::interval[]) age`,
  );
  await keepAfter(0);
  const { rows } = await scene.database.query('select generation_id from broadcast_bodies');
  expect(rows).toEqual([{ generation_id: '60:00:00' }]);
});

test('an hour that cannot be dropped does not stop the others from being dropped', async () => {
  await scene.record(place, 1);
  await scene.pump(id);
  await scene.database.query(`select ensure_broadcast_partition('2026-01-01T00:00:00Z')`);
  // A name that sorts first and whose table somebody else depends on.
  await scene.database.query('create view obstacle as select * from broadcast_log_2026010100');
  const kept = await keepAfter(74);
  await scene.database.query('drop view obstacle');
  expect(kept.busy).toBe(1);
  expect(kept.dropped).toBeGreaterThan(0);
});
