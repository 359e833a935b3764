import { beforeEach, expect, test } from '@jest/globals';
import { createWakeStore, type WaitingLine } from '../../../../db/broadcast/wake-store.ts';
import { MAX_PUMPS_OF_ORGANIZATION } from '../../../../domain/broadcast/destination.ts';
import { createTurns } from '../../../../services/broadcast/pump/turns.ts';
import { type BroadcastScene, type Place } from '../../../support/broadcast-scene.ts';
import { usePumpScene } from '../../../support/pump-scene.ts';
import type { Receiver } from '../../../support/receiver.ts';
import { PUMP_TIMES } from '../../../../worker/pump-deps.ts';

let scene: BroadcastScene;
let receiver: Receiver;
let place: Place;
usePumpScene((fresh) => ({ scene, receiver, place } = fresh));

/** Destinations of earlier tests would wait, too. */
beforeEach(() => scene.database.query('delete from observability_destinations'));

const addWebhook = (of: Place = place): Promise<string> =>
  scene.addDestination(of, { type: 'webhook', config: { url: receiver.url, method: 'POST' } });

async function addBusy(of: Place, count: number): Promise<string[]> {
  const ids: string[] = [];
  // One after the other, because the pool of the tests has few connections.
  while (ids.length < count) ids.push(await addWebhook(of));
  await scene.record(of, 1);
  return ids;
}

/** Sets columns of the progress of destinations, in SQL. */
async function set(ids: readonly string[], columns: string): Promise<void> {
  await scene.database.query(`update broadcast_progress set ${columns} where destination_id = any($1)`, [
    ids,
  ]);
}

async function woken(...places: Place[]): Promise<string[]> {
  const destinations = await createWakeStore(scene.knex).idleOf(places.map(({ workspaceId }) => workspaceId));
  return destinations.map(({ destinationId }) => destinationId);
}

const RUNNING = `state = 'running', touched_at = now(), waiting_since = null`;
const LONG_WAITING = `waiting_since = now() - interval '1 minute', nudged_at = null`;

test('an organization gets 25 pumps at a time, and no more than its limit', async () => {
  const ids = await addBusy(place, MAX_PUMPS_OF_ORGANIZATION + 3);
  const first: string[] = [];
  for (let next = await woken(place); next.length > 0; next = await woken(place)) {
    expect(next).toHaveLength(25);
    expect(await woken(place)).toEqual([]);
    await set(next, RUNNING);
    first.push(...next);
  }
  expect(first).toHaveLength(MAX_PUMPS_OF_ORGANIZATION);
  expect(await woken(place)).toEqual([]);
  await set(first.slice(0, 1), `state = 'idle'`);
  await scene.database.query('delete from observability_destinations where id = $1', [first[0]]);
  const [next, ...others] = await woken();
  expect(ids).toContain(next);
  expect(first).not.toContain(next);
  expect(others).toEqual([]);
});

test('a limited search starts the first of each organization, and the others the next time', async () => {
  const another = await scene.addWorkspace();
  await addBusy(place, 3);
  await addBusy(another, 1);
  const { idle } = createWakeStore(scene.knex);
  const organizations = (await idle(2)).map(({ organizationId }) => organizationId);
  expect(organizations.toSorted()).toEqual([place.organizationId, another.organizationId].toSorted());
  expect(await idle(2)).toHaveLength(2);
  expect(await idle(2)).toEqual([]);
});

test('the destination with the longest wait comes next, across workspaces', async () => {
  const other = { ...(await scene.addWorkspace()), organizationId: place.organizationId };
  await scene.database.query('update workspaces set organization_id = $1 where id = $2', [
    other.organizationId,
    other.workspaceId,
  ]);
  await set(await addBusy(place, MAX_PUMPS_OF_ORGANIZATION - 1), RUNNING);
  const [later] = await addBusy(place, 1);
  const [earlier] = await addBusy(other, 1);
  await set([later!], `waiting_since = now() - interval '1 second'`);
  await set([earlier!], LONG_WAITING);
  expect(await woken(place)).toEqual([earlier]);
});

test('a destination starts while another organization is at its limit', async () => {
  const another = await scene.addWorkspace();
  await set(await addBusy(place, MAX_PUMPS_OF_ORGANIZATION), RUNNING);
  await addBusy(place, 1);
  const [own] = await addBusy(another, 1);
  expect(await woken(place, another)).toEqual([own]);
});

test('a pump ends after its turn when another destination of its organization waits', async () => {
  const [id, waiting] = await addBusy(place, 2);
  const running = scene.pump(id!, { turnMs: 0, idleMs: 60_000 });
  await receiver.next(1);
  await set([waiting!], LONG_WAITING);
  expect(await running).toEqual({ kind: 'idle' });
  expect(await scene.progress(id!)).toMatchObject({ state: 'idle', delivered: 1 });
  // With something to send again, it is last in the line.
  await scene.record(place, 1);
  expect(await woken(place)).toEqual([waiting, id]);
});

test.each([
  [
    'an undecided generation',
    `insert into broadcast_undecided (destination_id, generation_id, created_at, settled_at)
     values ($1, 'gen-1', now(), now())`,
  ],
  [
    'a dead letter that is to be sent again',
    `insert into broadcast_dead_letters
       (id, destination_id, generation_id, created_at, facts, reason, replay_requested_at)
     values (gen_random_uuid(), $1, 'gen-1', now(), '{}', 'refused', now())`,
  ],
])('a destination with only %s left after its turn gets another turn', async (_, insert) => {
  const [id] = await addBusy(place, 1);
  await scene.pump(id!, { idleMs: 0 });
  await set([id!], `nudged_at = null, waiting_since = now()`);
  expect(await woken()).toEqual([]);
  await scene.database.query(insert, [id]);
  expect(await woken()).toEqual([id]);
});

test('a pump outlasts its turn when none waits, and never ends before it', async () => {
  const [id, waiting] = await addBusy(place, 2);
  expect(await scene.pump(id!, { turnMs: 0, runMs: 300, idleMs: 60_000 })).toEqual({ kind: 'handed_over' });
  await set([waiting!], LONG_WAITING);
  expect(await scene.pump(id!, { runMs: 300, idleMs: 60_000 })).toEqual({ kind: 'handed_over' });
});

test.each([
  ['after 30 seconds', { afterMs: 30_000, runMs: 40_000, kind: 'idle' }],
  ['not after 20 seconds', { afterMs: 20_000, runMs: 22_000, kind: 'handed_over' }],
])(
  'a pump of the worker ends when a destination of its organization waits: %s',
  async (_, { afterMs, runMs, kind }) => {
    const [id, waiting] = await addBusy(place, 2);
    const clock = { aheadMs: 0 };
    const running = scene.pump(id!, {
      turnMs: PUMP_TIMES.turnMs,
      runMs,
      idleMs: 60_000,
      now: () => Date.now() + clock.aheadMs,
    });
    await receiver.next(1);
    await set([waiting!], LONG_WAITING);
    clock.aheadMs = afterMs;
    expect(await running).toEqual({ kind });
  },
);

test('a pump does not end for a disabled, finished or foreign destination', async () => {
  const [id] = await addBusy(place, 1);
  const [disabled] = await addBusy(place, 1);
  const done = await addWebhook();
  const stranger = await scene.addWorkspace();
  const [another] = await addBusy(stranger, 1);
  await set([disabled!, done, another!], LONG_WAITING);
  await scene.database.query('update observability_destinations set enabled = false where id = $1', [
    disabled,
  ]);
  expect(await scene.pump(id!, { turnMs: 0, runMs: 300, idleMs: 60_000 })).toEqual({ kind: 'handed_over' });
});

test('a pump ends for a destination of another organization whose run found no slot', async () => {
  const [id] = await addBusy(place, 1);
  const [another] = await addBusy(await scene.addWorkspace(), 1);
  await set(
    [another!],
    `waiting_since = now() - interval '5 seconds', nudged_at = now() - interval '5 seconds'`,
  );
  expect(await scene.pump(id!, { turnMs: 0, idleMs: 60_000 })).toEqual({ kind: 'idle' });
});

test('one pump a second ends while others wait, at one read a second', async () => {
  const clock = { nowMs: 1_000_000, reads: 0 };
  let lines: WaitingLine[] = [{ organizationId: 'one', isStarted: false }];
  const turns = createTurns({
    store: {
      async lines() {
        clock.reads += 1;
        return lines;
      },
    },
    now: () => clock.nowMs,
  });
  const ends = async (...ids: string[]): Promise<boolean[]> => {
    const answers: boolean[] = [];
    for (const id of ids) answers.push(await turns.mustEnd(id));
    clock.nowMs += 1_000;
    return answers;
  };
  expect(await ends('two', 'one', 'one')).toEqual([false, true, false]);
  expect(await ends('one', 'two', 'one')).toEqual([true, false, false]);
  lines = [{ organizationId: 'one', isStarted: true }];
  expect(await ends('two', 'one')).toEqual([true, false]);
  lines = [];
  expect(await ends('two', 'one')).toEqual([false, false]);
  expect(clock.reads).toBe(4);
});
