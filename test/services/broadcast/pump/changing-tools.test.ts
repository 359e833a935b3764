import { beforeEach, expect, test } from '@jest/globals';
import { createDeadLetterStore } from '../../../../db/broadcast/dead-letter-store.ts';
import { type BroadcastScene, generationsIn, type Place } from '../../../support/broadcast-scene.ts';
import { usePumpScene } from '../../../support/pump-scene.ts';
import type { Receiver } from '../../../support/receiver.ts';

/** Tools whose trouble is another one each time. */
let scene: BroadcastScene;
let receiver: Receiver;
let place: Place;
let id: string;
usePumpScene((fresh) => ({ scene, receiver, place } = fresh));
beforeEach(async () => {
  id = await scene.addDestination(place, { type: 'webhook', config: { url: receiver.url, method: 'POST' } });
});

const receivedIds = (): string[] => receiver.received.flatMap(({ body }) => generationsIn(body));

/** Answers each request by its body. */
function answer(statusOf: (body: string) => number): void {
  Object.defineProperty(receiver.answers, 0, {
    configurable: true,
    get: () => ({ status: statusOf(receiver.received.at(-1)!.body) }),
  });
}

const isTestEvent = (body: string): boolean => generationsIn(body).length === 0;

test('a tool that fails the test event during a split loses no generation', async () => {
  const recorded = await scene.record(place, 8);
  await scene.database.query('update broadcast_progress set batch_failures = 9 where destination_id = $1', [
    id,
  ]);
  let tests = 0;
  answer((body) => (isTestEvent(body) && ++tests === 1 ? 200 : 503));
  expect(await scene.pump(id)).toMatchObject({ kind: 'back_off', state: 'backing_off' });
  expect(tests).toBe(2);
  expect(await scene.progress(id)).toMatchObject({ dead_letters: 0 });
  answer(() => 200);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(new Set(receivedIds())).toEqual(new Set(recorded));
});

test('failures with 401 and 429 do not count against the batch', async () => {
  await scene.record(place, 2);
  answer(() => 401);
  for (let attempt = 1; attempt <= 12; attempt += 1) await scene.pump(id);
  answer(() => 429);
  await scene.pump(id);
  expect(await scene.progress(id)).toMatchObject({ failures: 13, batch_failures: 0 });
});

test('a recovery is announced once after a pause with other failures in between', async () => {
  await scene.record(place, 1);
  for (const status of [401, 503, 403]) {
    answer(() => status);
    expect(await scene.pump(id)).toMatchObject({ kind: 'back_off' });
  }
  answer(() => 200);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(scene.events.map(({ kind }) => kind)).toEqual(['paused', 'recovered']);
  await scene.record(place, 1);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(scene.events).toHaveLength(2);
});

test('replayed dead letters that get 429 do not hold up the log', async () => {
  const [refused] = await scene.record(place, 1);
  answer((body) => (body.includes(refused!) ? 400 : 200));
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  await createDeadLetterStore(scene.knex).requestReplay(id);
  answer((body) => (body.includes(refused!) ? 429 : 200));
  const recorded = await scene.record(place, 3);
  expect(await scene.pump(id)).toMatchObject({ kind: 'back_off', state: 'backing_off' });
  expect(receivedIds()).toEqual(expect.arrayContaining(recorded));
  answer(() => 200);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receivedIds().at(-1)).toBe(refused);
  expect(await scene.progress(id)).toMatchObject({ delivered: 4 });
});

test('replayed dead letters that get 429 do not disable the destination', async () => {
  const [refused] = await scene.record(place, 1);
  answer((body) => (body.includes(refused!) ? 400 : 200));
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  await createDeadLetterStore(scene.knex).requestReplay(id);
  await scene.database.query(
    `update broadcast_progress set failures = 100, failing_since = now() - interval '25 hours' where destination_id = $1`,
    [id],
  );
  answer(() => 429);
  expect(await scene.pump(id)).toMatchObject({ kind: 'back_off', state: 'backing_off' });
  expect(scene.events).toEqual([]);
});
