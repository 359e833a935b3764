import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { listDeliveries, oneDelivery } from '../support/deliveries.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { updateWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let receiver: Receiver;
let own: Receiver;
let owner: Caller;
let manager: Caller;

beforeAll(async () => {
  [gateway, receiver, own] = await Promise.all([
    startGateway({ worker: ['video', 'webhooks'] }),
    startReceiver(),
    startReceiver(),
  ]);
  owner = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await own.close();
  await receiver.close();
  await gateway.close();
});

function idsAt({ received }: Receiver): unknown[] {
  return received.map(({ headers }) => headers['webhook-id']);
}

describe("a workspace's default callback", () => {
  test('receives the events of jobs without a callback_url', async () => {
    await updateWorkspace(manager, 'default', { default_callback_url: receiver.url });
    const { id } = await submit(owner);
    const { id: other } = await submit(owner, { callback_url: own.url });
    await Promise.all([receiver.next(1), own.next(1)]);
    expect(idsAt(receiver)).toEqual([`${id}-completed`]);
    expect(idsAt(own)).toEqual([`${other}-completed`]);
  });

  test('applies as it was when the job was accepted, and to no other workspace', async () => {
    await gateway.stopWorker();
    const { id } = await submit(owner);
    const neighbour = await addWorkspace(gateway);
    const { token } = await addKey(gateway, neighbour);
    const elsewhere = await submit(createCaller(gateway.origin, token));
    await updateWorkspace(manager, 'default', { default_callback_url: null });
    const { id: later } = await submit(owner);
    await gateway.startWorker();
    await Promise.all([id, elsewhere.id, later].map((jobId) => ended(manager, jobId)));
    const [delivery, ...more] = await listDeliveries(manager, `job_id=${id}`);
    expect([delivery?.url, more]).toEqual([receiver.url, []]);
    for (const jobId of [elsewhere.id, later])
      expect(await listDeliveries(manager, `job_id=${jobId}`)).toEqual([]);
  });

  test('gets no webhook without a workspace secret, and a replay succeeds with one', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const { token } = await addKey(gateway, { workspaceId });
    await updateWorkspace(manager, workspaceId, { default_callback_url: own.url });
    const before = own.received.length;
    await submit(createCaller(gateway.origin, token));
    const delivery = await oneDelivery(manager, `workspace_id=${workspaceId}&status=exhausted`);
    expect(delivery.attempts).toHaveLength(3);
    expect(delivery.attempts[0]).toMatchObject({
      outcome: 'refused',
      status_code: null,
      reason: 'the workspace has no webhook secret',
    });
    expect(own.received).toHaveLength(before);

    expect((await manager.call('POST', `/workspaces/${workspaceId}/webhook-secret/rotate`)).status).toBe(200);
    expect((await manager.call('POST', `/webhooks/deliveries/${delivery.id}/replay`)).status).toBe(202);
    await own.next(before + 1);
  });
});
