import { beforeEach, describe, expect, test } from '@jest/globals';
import { bridged } from '../../../support/knex-bridge.ts';
import { createDeadLetterStore } from '../../../../db/broadcast/dead-letter-store.ts';
import { createDestinationStore } from '../../../../db/broadcast/destination-store.ts';
import type { DestinationSettings } from '../../../../domain/broadcast/destination.ts';
import type { PumpReport } from '../../../../services/broadcast/pump/pump-types.ts';
import { type BroadcastScene, generationsIn, type Place } from '../../../support/broadcast-scene.ts';
import { usePumpScene } from '../../../support/pump-scene.ts';
import type { Receiver } from '../../../support/receiver.ts';

let scene: BroadcastScene;
let receiver: Receiver;
let place: Place;
usePumpScene((fresh) => ({ scene, receiver, place } = fresh));

const addWebhook = (change: Partial<DestinationSettings> = {}): Promise<string> =>
  scene.addDestination(place, { type: 'webhook', config: { url: receiver.url, method: 'POST' } }, change);

const receivedIds = (): string[] => receiver.received.flatMap(({ body }) => generationsIn(body));

/** Answers 400 to each batch that holds the generation, and otherwise 200. */
function refuse(status: number, isGuilty: (body: string) => boolean): void {
  Object.defineProperty(receiver.answers, 0, {
    get: () => ({ status: isGuilty(receiver.received.at(-1)!.body) ? status : 200 }),
  });
}

const isTestEvent = (body: string): boolean => generationsIn(body).length === 0;

test('a pump sends each generation recorded after its destination once and in order', async () => {
  await scene.record(place, 2);
  const id = await addWebhook();
  const recorded = await scene.record(place, 5);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receivedIds()).toEqual(recorded);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receivedIds()).toEqual(recorded);
  expect(await scene.progress(id)).toMatchObject({ state: 'idle', delivered: 5 });
});

test('a running pump notices new generations by itself', async () => {
  const id = await addWebhook();
  const stop = new AbortController();
  const running = scene.pump(id, { idleMs: 60_000, stop: stop.signal });
  const recorded = await scene.record(place, 3, {}, 1);
  await receiver.next(1);
  const later = await scene.record(place, 1, {}, 2);
  await receiver.next(2);
  stop.abort();
  expect(await running).toEqual({ kind: 'handed_over' });
  expect(receivedIds()).toEqual([...recorded, ...later]);
});

test('a generation outside the configured regions is not sent', async () => {
  const id = await addWebhook({ regions: ['europe'] });
  await scene.record(place, 3);
  const [sent] = await scene.record(place, 1, { dataRegion: 'europe' });
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receivedIds()).toEqual([sent]);
});

test('a failed batch is repeated with its webhook-id and content before newer generations', async () => {
  receiver.answers.splice(0, 1, { status: 503 }, { status: 200 });
  const id = await addWebhook();
  const first = await scene.record(place, 3);
  expect(await scene.pump(id)).toMatchObject({ kind: 'back_off', state: 'backing_off', waitMs: 5_000 });
  expect(await scene.progress(id)).toMatchObject({ state: 'backing_off', failures: 1 });
  const later = await scene.record(place, 2);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receiver.received.map(({ body }) => generationsIn(body))).toEqual([first, first, later]);
  const [one, two, three] = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect([one === two, two === three]).toEqual([true, false]);
  expect(await scene.progress(id)).toMatchObject({ state: 'idle', failures: 0, delivered: 5 });
});

test('a pump reports how many generations wait, and how many at its back-off', async () => {
  receiver.answers.splice(0, 1, { status: 503 }, { status: 200 });
  const id = await addWebhook();
  await scene.record(place, 3);
  expect(await scene.pump(id)).toMatchObject({ kind: 'back_off', behind: 3 });
  await scene.record(place, 2);
  const reports: PumpReport[] = [];
  const stop = new AbortController();
  const report = (_: string, now: PumpReport): void => {
    reports.push(now);
    if (now.doing === 'waits for generations') stop.abort();
  };
  await scene.pump(id, { idleMs: 60_000, stop: stop.signal, report });
  expect(reports[0]).toEqual({ doing: 'sends 3 generations', delivered: 0, behind: 5 });
  expect(reports.at(-1)).toEqual({ doing: 'waits for generations', delivered: 5, behind: 0 });
});

test('a 429 with Retry-After 40 leads to a back-off of 40 s', async () => {
  receiver.answers.splice(0, 1, { status: 429, headers: { 'retry-after': '40' } });
  const id = await addWebhook();
  await scene.record(place, 1);
  expect(await scene.pump(id)).toMatchObject({ kind: 'back_off', waitMs: 40_000 });
});

test('a 401 pauses the destination without dead letters, and its recovery is announced', async () => {
  receiver.answers.splice(0, 1, { status: 401 }, { status: 401 }, { status: 200 });
  const id = await addWebhook();
  const recorded = await scene.record(place, 2);
  const paused = { kind: 'back_off', state: 'needs_attention', waitMs: 300_000 };
  expect(await scene.pump(id)).toMatchObject(paused);
  expect(await scene.pump(id)).toMatchObject(paused);
  expect(await scene.progress(id)).toMatchObject({ state: 'needs_attention', failures: 2, dead_letters: 0 });
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receivedIds().slice(-2)).toEqual(recorded);
  expect(scene.events).toMatchObject([
    { kind: 'paused', destinationId: id, reason: expect.stringContaining('401') },
    { kind: 'recovered', destinationId: id, reason: null },
  ]);
});

test('a single refused generation becomes a dead letter and all others arrive', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 20);
  const guilty = recorded[13]!;
  refuse(400, (body) => body.includes(guilty));
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  const { rows } = await scene.database.query(
    'select generation_id, status from broadcast_dead_letters where destination_id = $1',
    [id],
  );
  expect(rows).toEqual([{ generation_id: guilty, status: 400 }]);
  expect(await scene.progress(id)).toMatchObject({ delivered: 19, dead_letters: 1 });
});

test('a batch that is too large is divided until its parts fit', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 8);
  refuse(413, (body) => generationsIn(body).length > 3);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  const sizes = receiver.received.map(({ body }) => generationsIn(body).length);
  expect(sizes).toEqual([8, 4, 2, 2, 4, 2, 2]);
  expect(await scene.progress(id)).toMatchObject({ delivered: recorded.length });
});

test('ten 5xx for one batch bury its guilty generation if the test event passes', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 4);
  const guilty = recorded[1]!;
  refuse(500, (body) => body.includes(guilty));
  for (let attempt = 1; attempt <= 9; attempt += 1) {
    expect(await scene.pump(id)).toMatchObject({ kind: 'back_off' });
  }
  expect(await scene.progress(id)).toMatchObject({ batch_failures: 9, dead_letters: 0 });
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receiver.received.some(({ body }) => isTestEvent(body))).toBe(true);
  expect(await scene.progress(id)).toMatchObject({ delivered: 3, dead_letters: 1 });
});

test('a tool that answers 500 fifteen times loses no generation', async () => {
  receiver.answers.splice(0, 1, { status: 500 });
  const id = await addWebhook();
  await scene.record(place, 4);
  for (let attempt = 1; attempt <= 15; attempt += 1) await scene.pump(id);
  expect(await scene.progress(id)).toMatchObject({ batch_failures: 15, dead_letters: 0 });
});

test('a day of failures disables the destination, which resumes at its cursor when enabled', async () => {
  receiver.answers.splice(0, 1, { status: 503 });
  const id = await addWebhook();
  const recorded = await scene.record(place, 2);
  await scene.pump(id);
  await scene.database.query(
    `update broadcast_progress set failures = 99, failing_since = now() - interval '25 hours' where destination_id = $1`,
    [id],
  );
  await scene.pump(id);
  expect(await scene.progress(id)).toMatchObject({ state: 'backing_off', failures: 100 });
  expect(await scene.pump(id)).toEqual({ kind: 'stopped' });
  expect(await scene.progress(id)).toMatchObject({ state: 'disabled' });
  expect(scene.events).toMatchObject([{ kind: 'disabled', reason: expect.stringContaining('24 hours') }]);
  expect(await scene.pump(id)).toEqual({ kind: 'stopped' });

  receiver.answers.splice(0, 1, { status: 200 });
  const store = createDestinationStore(scene.knex);
  await store.update(id, { enabled: true });
  await store.restart(id);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receivedIds().slice(-2)).toEqual(recorded);
});

test('two pumps of one destination lose nothing and count each delivery once', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 50);
  const results = await Promise.all([scene.pump(id), scene.pump(id)]);
  expect(results.filter(({ kind }) => kind === 'idle').length).toBeGreaterThan(0);
  expect(new Set(receivedIds())).toEqual(new Set(recorded));
  expect(await scene.progress(id)).toMatchObject({ delivered: 50 });
});

test('a pump that dies after a delivery repeats the batch and counts it once', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 3);
  const dying = bridged({
    query: scene.knex.query,
    transaction: () => Promise.reject(new Error('died')),
  });
  await expect(scene.pump(id, { knex: dying })).rejects.toThrow('died');
  expect(receivedIds()).toEqual(recorded);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receivedIds()).toEqual([...recorded, ...recorded]);
  expect(await scene.progress(id)).toMatchObject({ delivered: 3 });
});

test('a dead letter is sent again on request and deleted once delivered', async () => {
  const id = await addWebhook();
  const [guilty] = await scene.record(place, 1);
  refuse(400, (body) => body.includes(guilty!));
  await scene.pump(id);
  const letters = createDeadLetterStore(scene.knex);
  expect(await letters.requestReplay(id)).toBe(1);
  await scene.pump(id);
  expect(await letters.requested(id, 10)).toEqual([]);
  refuse(400, () => false);
  expect(await letters.requestReplay(id)).toBe(1);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(await letters.requestReplay(id)).toBe(0);
  expect(receivedIds()).toEqual([guilty, guilty, guilty]);
});

test('a destination disabled or deleted during a run stops its pump', async () => {
  const id = await addWebhook();
  const running = scene.pump(id, { idleMs: 60_000 });
  await scene.record(place, 1);
  await receiver.next(1);
  await createDestinationStore(scene.knex).update(id, { enabled: false });
  expect(await running).toEqual({ kind: 'stopped' });
  expect(await scene.progress(id)).toMatchObject({ state: 'idle' });
  await createDestinationStore(scene.knex).delete(id);
  expect(await scene.pump(id)).toEqual({ kind: 'stopped' });
});

test('edited settings apply from the next batch on', async () => {
  const id = await addWebhook();
  const running = scene.pump(id, { idleMs: 60_000, checkMs: 20 });
  const [first] = await scene.record(place, 1);
  await receiver.next(1);
  await createDestinationStore(scene.knex).update(id, { regions: ['us'] });
  await scene.record(place, 3);
  const [second] = await scene.record(place, 1, { dataRegion: 'us' });
  await receiver.next(2);
  await createDestinationStore(scene.knex).update(id, { enabled: false });
  await running;
  expect(receivedIds()).toEqual([first, second]);
});

describe('a request that gets no response', () => {
  beforeEach(() => {
    receiver.answers.splice(0, 1, 'silence');
  });

  test.each([
    ['deleted', (id: string) => createDestinationStore(scene.knex).delete(id)],
    ['disabled', (id: string) => createDestinationStore(scene.knex).update(id, { enabled: false })],
  ])('ends with the pump when its destination is %s', async (_what, change) => {
    const id = await addWebhook();
    await scene.record(place, 1);
    const running = scene.pump(id);
    await receiver.next(1);
    await change(id);
    expect(await running).toEqual({ kind: 'stopped' });
    expect(receiver.received).toHaveLength(1);
  });
});
