import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { broadcastWorkflowId } from '../../domain/runs.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import {
  deleteDestination,
  getDestination,
  makeDestination,
  updateDestination,
} from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { chat } from '../support/forwarding.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let gateway: Gateway;
let manager: Caller;
let refusing: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['broadcast'] });
  manager = createCaller(gateway.origin, gateway.managementKey);
  // Its run waits for five minutes.
  refusing = await startReceiver({ status: 401 });
});

afterAll(async () => {
  await refusing.close();
  await gateway.close();
});

/** Makes a destination whose run waits for its next attempt. Returns its id. */
async function waitingDestination(): Promise<string> {
  const { id } = await makeDestination(manager, { config: { url: refusing.url } });
  await chat(gateway);
  const run = gateway.temporal.workflow.getHandle(broadcastWorkflowId(id));
  await eventually('a run that waits', async () => {
    const { delivery } = await getDestination(manager, id);
    if (delivery['state'] !== 'needs_attention') return undefined;
    const { currentDetails } = await run.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    return currentDetails.includes('Tried again after') || undefined;
  });
  return id;
}

function endOf(id: string): Promise<unknown> {
  return gateway.temporal.workflow.getHandle(broadcastWorkflowId(id)).result();
}

test('a waiting run ends when its destination is disabled, and the destination becomes idle', async () => {
  const id = await waitingDestination();
  await updateDestination(manager, id, { enabled: false });
  expect(await endOf(id)).toEqual({ outcome: 'stopped' });
  const { delivery } = await getDestination(manager, id);
  expect(delivery).toMatchObject({ state: 'idle', reason: null, next_attempt_at: null, backlog: 1 });
});

test('a disabled destination sends its backlog when it is enabled again', async () => {
  const id = await waitingDestination();
  await updateDestination(manager, id, { enabled: false });
  await endOf(id);
  const received = refusing.received.length;
  refusing.answers.splice(0, 1, { status: 200 });
  await updateDestination(manager, id, { enabled: true });
  await refusing.next(received + 1);
  refusing.answers.splice(0, 1, { status: 401 });
  await eventually('a destination without a backlog', async () => {
    const { delivery } = await getDestination(manager, id);
    return delivery['backlog'] === 0 || undefined;
  });
});

test('a disabled destination without a run becomes idle', async () => {
  const id = await waitingDestination();
  await gateway.temporal.workflow.getHandle(broadcastWorkflowId(id)).terminate();
  await updateDestination(manager, id, { enabled: false });
  await eventually('an idle destination', async () => {
    const { delivery } = await getDestination(manager, id);
    return delivery['state'] === 'idle' || undefined;
  });
});

test('a waiting run ends when its destination is deleted', async () => {
  const id = await waitingDestination();
  await deleteDestination(manager, id);
  expect(await endOf(id)).toEqual({ outcome: 'stopped' });
});
