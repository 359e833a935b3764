import { expect, test } from '@jest/globals';
import { createDeadLetterStore } from '../../../../db/broadcast/dead-letter-store.ts';
import { createDestinationStore } from '../../../../db/broadcast/destination-store.ts';
import { type BroadcastScene, generationsIn, type Place } from '../../../support/broadcast-scene.ts';
import { usePumpScene } from '../../../support/pump-scene.ts';
import type { Receiver } from '../../../support/receiver.ts';

let scene: BroadcastScene;
let receiver: Receiver;
let place: Place;
usePumpScene((fresh) => ({ scene, receiver, place } = fresh));

const addWebhook = (): Promise<string> =>
  scene.addDestination(place, { type: 'webhook', config: { url: receiver.url, method: 'POST' } });

const receivedIds = (): string[] => receiver.received.flatMap(({ body }) => generationsIn(body));

/** Makes one more failure disable the destination. */
async function failForADay(id: string): Promise<void> {
  await scene.database.query(
    `update broadcast_progress set failures = 100, failing_since = now() - interval '25 hours' where destination_id = $1`,
    [id],
  );
}

test('a Retry-After of 0 leads to the usual back-off of 5 s', async () => {
  receiver.answers.splice(0, 1, { status: 503, headers: { 'retry-after': '0' } });
  const id = await addWebhook();
  await scene.record(place, 1);
  expect(await scene.pump(id)).toMatchObject({ kind: 'back_off', waitMs: 5_000 });
});

test('a count of rejected spans above the batch size counts as the batch size', async () => {
  const body = JSON.stringify({ partialSuccess: { rejectedSpans: 9_000_000_000_000_000 } });
  const headers = { 'content-type': 'application/json' };
  receiver.answers.splice(0, 1, { status: 200, headers, body });
  const id = await addWebhook();
  await scene.record(place, 2);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(await scene.progress(id)).toMatchObject({ delivered: 0, rejected: 2 });
});

test('a generation that cannot be encoded becomes a dead letter, and the others arrive', async () => {
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
  expect(await scene.progress(id)).toMatchObject({ delivered: 2, dead_letters: 1 });
});

test('a generation that makes no span becomes a dead letter, and the others arrive', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 3);
  const found = (await scene.deps.findDestination(id))!;
  const select: typeof found.spanRules.select = (event, ids) => {
    if (event.generationId === recorded[1]) throw new RangeError('too deep');
    return found.spanRules.select(event, ids);
  };
  const failing = { ...found, spanRules: { ...found.spanRules, select } };
  expect(await scene.pump(id, { findDestination: async () => failing })).toEqual({ kind: 'idle' });
  expect(receivedIds()).toEqual([recorded[0], recorded[2]]);
  expect(await scene.progress(id)).toMatchObject({ delivered: 2, dead_letters: 1, failures: 0 });
});

test('every response during the division of a batch is recorded as an attempt', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 4);
  Object.defineProperty(receiver.answers, 0, {
    get: () => ({ status: generationsIn(receiver.received.at(-1)!.body).includes(recorded[2]!) ? 422 : 200 }),
  });
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  const { rows } = await scene.database.query(
    'select outcome, events, status from broadcast_attempts where destination_id = $1 order by id',
    [id],
  );
  expect(rows).toEqual([
    { outcome: 'failed', events: 4, status: 422 },
    { outcome: 'delivered', events: 2, status: 200 },
    { outcome: 'failed', events: 2, status: 422 },
    { outcome: 'failed', events: 1, status: 422 },
    { outcome: 'delivered', events: 1, status: 200 },
  ]);
});

test('an edit of the destination ends the division of a batch', async () => {
  const id = await addWebhook();
  const recorded = await scene.record(place, 8);
  Object.defineProperty(receiver.answers, 0, {
    get: () => ({ status: receiver.received.length === 1 ? 413 : 200 }),
  });
  let isEdited = false;
  const findDestination: typeof scene.deps.findDestination = async (wanted) => {
    const found = await scene.deps.findDestination(wanted);
    if (found === null || found === undefined) return found;
    const send: typeof found.send = async (...sent) => {
      const outcome = await found.send(...sent);
      if (!isEdited) await createDestinationStore(scene.knex).update(id, { regions: ['us'] });
      isEdited = true;
      return outcome;
    };
    return { ...found, send };
  };
  expect(await scene.pump(id, { findDestination })).toEqual({ kind: 'idle' });
  expect(receivedIds().length).toBeLessThan(2 * recorded.length);
});

test('an attempt begun before an edit does not disable the edited destination', async () => {
  receiver.answers.splice(0, 1, { status: 503 });
  const id = await addWebhook();
  await scene.record(place, 1);
  await scene.pump(id);
  await failForADay(id);
  const store = createDestinationStore(scene.knex);
  const found = (await scene.deps.findDestination(id))!;
  const send: typeof found.send = async (batch, signal) => {
    await store.update(id, { enabled: true });
    await store.restart(id);
    return found.send(batch, signal);
  };
  const slow = { ...found, send };
  expect(await scene.pump(id, { findDestination: async () => slow })).toMatchObject({ kind: 'back_off' });
  expect(await scene.progress(id)).toMatchObject({ state: 'backing_off', failures: 1 });
  expect(scene.events).toEqual([]);
  expect(await scene.deps.findDestination(id)).not.toBeNull();
});

test('generations too old for the tool become dead letters and disable nothing', async () => {
  const id = await addWebhook();
  await scene.record(place, 2);
  await failForADay(id);
  const found = (await scene.deps.findDestination(id))!;
  const forgetful = { ...found, limits: { ...found.limits, maxAgeMs: -1 } };
  expect(await scene.pump(id, { findDestination: async () => forgetful })).toEqual({ kind: 'idle' });
  expect(receiver.received).toEqual([]);
  expect(await scene.progress(id)).toMatchObject({ failures: 100, dead_letters: 2 });
});

test('a dead letter that is refused again does not disable its destination', async () => {
  receiver.answers.splice(0, 1, { status: 400 });
  const id = await addWebhook();
  await scene.record(place, 1);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(await scene.progress(id)).toMatchObject({ failures: 1, dead_letters: 1 });
  await failForADay(id);
  await createDeadLetterStore(scene.knex).requestReplay(id);
  expect(await scene.pump(id)).toEqual({ kind: 'idle' });
  expect(receivedIds()).toHaveLength(2);
  expect(await scene.progress(id)).toMatchObject({ failures: 100 });
});

test('a generation settled more than 72 hours ago is not sent', async () => {
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

test('forgetFailures sets failures and batch_failures to zero', async () => {
  receiver.answers.splice(0, 1, { status: 503 });
  const id = await addWebhook();
  await scene.record(place, 1);
  await scene.pump(id);
  await createDestinationStore(scene.knex).forgetFailures(id);
  expect(await scene.progress(id)).toMatchObject({ state: 'backing_off', failures: 0, batch_failures: 0 });
});
