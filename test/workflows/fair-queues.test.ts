import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import type { WorkerInterceptors } from '@temporalio/worker';
import { newUuid } from '../../domain/ids.ts';
import { QUEUES } from '../../domain/runs.ts';
import { createRunStarter } from '../../services/runs/run-starter.ts';
import { addKey, addWorkspace } from '../support/accounts.ts';
import { askChat } from '../support/chat.ts';
import { createCaller } from '../support/caller.ts';
import { makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { addCredential, addDraft } from '../support/own-resources.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createTestNamespace, type TestNamespace } from '../support/temporal.ts';

/** The fairness keys that each kind of activity was given to a worker with. */
const keys = new Map<string, Set<string | undefined>>();
const interceptors: WorkerInterceptors = {
  activity: [
    ({ info }) => {
      const seen = keys.get(info.activityType) ?? new Set();
      keys.set(info.activityType, seen.add(info.priority?.fairnessKey));
      return {};
    },
  ],
};

let gateway: Gateway;
let receiver: Receiver;
let server: ModelServer;

beforeAll(async () => {
  receiver = await startReceiver();
  server = await startModelServer();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    interceptors,
    bootstrap: { entitlements: ['private_endpoints'] },
  });
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
  await server.close();
});

/** Starts runs of jobs that nobody works on. */
async function startRuns(client: Client, organizationId: string, count: number): Promise<void> {
  const runs = createRunStarter({ client });
  const job = { organizationId, workspaceId: newUuid(), model: 'local/clip-1', provider: 'local' };
  for (let n = 0; n < count; n += 1) await runs.startVideo({ id: `${organizationId}-${n}`, ...job });
}

/** Takes the next task from the queue of video jobs, as a worker does. Returns the id of its run. */
async function nextRun({ connection, namespace }: TestNamespace): Promise<string> {
  const taskQueue = { name: QUEUES.video };
  const task = await connection.withDeadline(Date.now() + 60_000, () =>
    connection.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue }),
  );
  return task.workflowExecution?.workflowId ?? '';
}

test('the server hands out the work of one organization before the whole queue of another', async () => {
  const unserved = await createTestNamespace();
  const { connection, namespace } = unserved;
  const client = new Client({ connection, namespace });
  await startRuns(client, 'many', 200);
  await startRuns(client, 'one', 1);
  const order: string[] = [];
  // The queue has four partitions. Which of them a poll meets is random, and on a busy machine one may be late.
  while (order.length < 190 && order.at(-1) !== 'one-0') order.push(await nextRun(unserved));
  await unserved.close();
  expect(order).toContain('one-0');
});

test('every activity of a customer carries the organization as its key, also in another workspace', async () => {
  const { organizationId } = gateway;
  const place = await addWorkspace(gateway);
  const caller = createCaller(gateway.origin, (await addKey(gateway, place)).token);
  const manager = createCaller(gateway.origin, gateway.managementKey);
  await makeDestination(manager, { workspace_id: place.workspaceId, config: { url: receiver.url } });
  await addCredential(gateway, 'a-key-of-the-customer', { base_url: server.baseUrl });
  const endpointId = await addDraft(gateway, { base_url: server.baseUrl });

  await ended(caller, (await submit(caller, { callback_url: receiver.url })).id);
  await askChat(gateway, {}, caller);
  await manager.call('POST', `/private-endpoints/${endpointId}/validate`, {
    body: { workspace_id: gateway.workspaceId },
  });
  const activities = [
    'submitVideo',
    'checkVideoStatus',
    'storeVideoOutputs',
    'settleVideo',
    'attemptWebhook',
    'pumpDestination',
    'checkPrivateEndpoint',
  ];
  await eventually('all activities', async () => activities.every((name) => keys.has(name)) || undefined);
  for (const name of activities) expect([name, ...keys.get(name)!]).toEqual([name, organizationId]);
});
