import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { broadcastWorkflowId } from '../../domain/runs.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { deleteDestination, makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { chat, chats, chatsDuring, expectForwarded, forwardedTo } from '../support/forwarding.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { startHeldReceiver } from '../support/held-receiver.ts';
import { type OwnTemporal, startOwnTemporal } from '../support/own-temporal.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

/** Longer than a pump may be silent before Temporal gives its work to another one. */
const OUTAGE_MS = 12_000;

let temporal: OwnTemporal;
let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  temporal = await startOwnTemporal();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    namespace: temporal.namespace,
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000, setupIntervalMs: 1_000 },
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await gateway.close();
  await temporal.close();
});

/** Receives while the outage begins. */
let running: Receiver;
/** Refuses what it is sent before the outage. */
let refusing: Receiver;
let late: Receiver;
const destinationIds: string[] = [];

beforeEach(async () => {
  running = await startReceiver();
  refusing = await startReceiver({ status: 503 });
  late = await startReceiver();
});

afterEach(async () => {
  for (const id of destinationIds.splice(0)) await deleteDestination(manager, id);
  for (const receiver of [running, refusing, late]) await receiver.close();
});

async function sendTo(url: string): Promise<string> {
  const { id } = await makeDestination(manager, { config: { url } });
  destinationIds.push(id);
  return id;
}

/** One destination has a pump that runs, another one waits for its next attempt. */
async function beginDelivery(): Promise<string> {
  await sendTo(running.url);
  const waiting = await sendTo(refusing.url);
  const id = await chat(gateway);
  await expectForwarded([id], running, refusing);
  await eventually('a destination that waits', async () => {
    const { rows } = await gateway.database.query<{ state: string }>(
      'select state from broadcast_progress where destination_id = $1',
      [waiting],
    );
    return rows[0]?.state === 'backing_off' ? true : undefined;
  });
  refusing.received.length = 0;
  return id;
}

/** A destination whose pump has shown no sign of life for ten seconds seems to have shown none for three minutes. */
async function age(): Promise<void> {
  await gateway.database.query(
    `update broadcast_progress
     set touched_at = touched_at - interval '3 minutes', next_attempt_at = next_attempt_at - interval '3 minutes'
     where state <> 'idle' and touched_at between now() - interval '1 minute' and now() - interval '10 seconds'`,
  );
}

/** The sweep replaces runs that are gone, two minutes after the last sign of life of their pumps. */
async function expectForwardedByNewRuns(ids: readonly string[], ...receivers: Receiver[]): Promise<void> {
  await eventually('all generations', async () => {
    await age();
    return receivers.every((receiver) => ids.every((id) => forwardedTo(receiver).has(id))) || undefined;
  });
}

test('all generations arrive after Temporal is killed and restarted with its data', async () => {
  const first = await beginDelivery();
  await temporal.kill();
  refusing.answers.splice(0, 1, { status: 204 });
  await sendTo(late.url);
  const ids = await chatsDuring(gateway, delay(OUTAGE_MS));
  await temporal.restart('same');
  const after = await chats(gateway, 3);
  await expectForwarded([first, ...ids, ...after], running, refusing);
  await expectForwarded([...ids, ...after], late);
});

test('all generations arrive after Temporal loses all its data', async () => {
  const first = await beginDelivery();
  await temporal.kill();
  refusing.answers.splice(0, 1, { status: 204 });
  await sendTo(late.url);
  const ids = await chats(gateway, 20);
  await temporal.restart('empty');
  // The destination without a run gets one by its next nudge, the others by the sweep.
  await expectForwarded(ids, late);
  await expectForwardedByNewRuns([first, ...ids], running, refusing);
  const after = await chats(gateway, 3);
  await expectForwardedByNewRuns(after, running, refusing, late);
});

test('all generations arrive after their run is terminated in the middle of a batch', async () => {
  const held = await startHeldReceiver(running);
  const id = await sendTo(held.url);
  const first = await chats(gateway, 3);
  await running.next(1);
  await gateway.temporal.workflow.getHandle(broadcastWorkflowId(id)).terminate('test');
  const later = await chats(gateway, 3);
  held.release();
  await expectForwarded(first, running);
  // Its pump may send these before it hears that its run is gone. Then it ends.
  await eventually('the end of the pump', async () => {
    const { rowCount } = await gateway.database.query(
      `select from broadcast_progress where destination_id = $1 and touched_at < now() - interval '10 seconds'`,
      [id],
    );
    return rowCount === 1 ? true : undefined;
  });
  const last = await chats(gateway, 3);
  await expectForwardedByNewRuns([...later, ...last], running);
  const { status } = await gateway.temporal.workflow.getHandle(broadcastWorkflowId(id)).describe();
  expect(status.name).toBe('RUNNING');
  await held.close();
});
