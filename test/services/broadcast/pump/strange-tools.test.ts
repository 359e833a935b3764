import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createDestinationStore } from '../../../../db/broadcast/destination-store.ts';
import {
  type BroadcastScene,
  generationsIn,
  openBroadcastScene,
  type Place,
} from '../../../support/broadcast-scene.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';

let scene: BroadcastScene;
let receiver: Receiver;
let place: Place;
beforeAll(async () => {
  scene = await openBroadcastScene();
});
afterAll(() => scene.close());
beforeEach(async () => {
  receiver = await startReceiver();
  place = await scene.addWorkspace();
  scene.events.length = 0;
});
afterEach(() => receiver.close());

const addWebhook = (): Promise<string> =>
  scene.addDestination(place, { type: 'webhook', config: { url: receiver.url, method: 'POST' } });

const receivedIds = (): string[] => receiver.received.flatMap(({ body }) => generationsIn(body));

test('a tool that asks for no time at all gets the usual back-off', async () => {
  receiver.answers.splice(0, 1, { status: 503, headers: { 'retry-after': '0' } });
  const id = await addWebhook();
  await scene.record(place, 1);
  expect(await scene.pump(id)).toMatchObject({ kind: 'back_off', waitMs: 5_000 });
});

test('a tool that claims to have rejected more than it was sent does not upset the counters', async () => {
  const body = JSON.stringify({ partialSuccess: { rejectedSpans: 9_000_000_000_000_000 } });
  const headers = { 'content-type': 'application/json' };
  receiver.answers.splice(0, 1, { status: 200, headers, body });
  const id = await addWebhook();
  await scene.record(place, 2);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(await scene.progress(id)).toMatchObject({ delivered: 0, rejected: 2 });
});

test('a generation that cannot be encoded is buried, and the others arrive', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 3);
  const found = (await scene.deps.findDestination(id))!;
  const send: typeof found.send = (batch, signal) => {
    if (batch.spans.some(({ generationId }) => generationId === recorded[1]))
      throw new RangeError('too deep');
    return found.send(batch, signal);
  };
  const failing = { ...found, send };
  expect(await scene.pump(id, { findDestination: async () => failing })).toEqual({ kind: 'idle' });
  expect(receivedIds()).toEqual([recorded[0], recorded[2]]);
  expect(await scene.progress(id)).toMatchObject({ delivered: 2, dead_lettered: 1 });
});

test('an edit ends the division of a batch: what follows goes by the new settings', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 8);
  Object.defineProperty(receiver.answers, 0, {
    get: () => ({ status: receiver.received.length === 1 ? 413 : 200 }),
  });
  const disable = createDestinationStore(scene.knex).update.bind(null, id, { regions: ['us'] });
  const original = receiver.received.push.bind(receiver.received);
  let isEdited: Promise<unknown> | undefined;
  receiver.received.push = (...received) => {
    isEdited ??= disable();
    return original(...received);
  };
  const result = await scene.pump(id);
  await isEdited;
  expect(result).toEqual({ kind: 'idle' });
  expect(receivedIds().length).toBeLessThan(2 * recorded.length);
});

test('what ended more than 72 hours ago is not forwarded', async () => {
  const id = await addWebhook();
  await scene.database.query(
    `update broadcast_heads set logged_since = now() - interval '9 days' where workspace_id = $1`,
    [place.workspaceId],
  );
  const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
  await scene.record(place, 1, { settledAt: hoursAgo(73) });
  const [late] = await scene.record(place, 1, { settledAt: hoursAgo(71) });
  await scene.pump(id);
  expect(receivedIds()).toEqual([late]);
});

test('a new configuration forgets the failures of the one before', async () => {
  receiver.answers.splice(0, 1, { status: 503 });
  const id = await addWebhook();
  await scene.record(place, 1);
  await scene.pump(id);
  await createDestinationStore(scene.knex).forgetFailures(id);
  expect(await scene.progress(id)).toMatchObject({ state: 'backing_off', failures: 0, batch_failures: 0 });
});
