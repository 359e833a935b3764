import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase } from '../support/open-database.ts';
import { createCaller } from '../support/caller.ts';
import { listDeliveries } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { commitEvent } from '../support/events.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';
import { updateWorkspace } from '../support/workspaces.ts';

/**
 * Events about no job are committed, and the process that wrote them is gone before it starts a workflow. A worker
 * whose sweep starts them is killed by SIGKILL while each is at another point of its delivery; a second worker goes on.
 */
const EVENTS = ['before', 'after', 'during'] as const;

let gateway: Gateway;
let workers: WorkerProcesses;
const receivers = new Map<string, Receiver>();
const ids = new Map<string, string>();

beforeAll(async () => {
  gateway = await startGateway({
    env: { WEBHOOK_TIMEOUT: '60s' },
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  workers = createWorkerProcesses(gateway);
  await commitEvents();
  const doomed = await workers.start([
    { activity: 'attemptWebhook', at: 'before', workflowId: `webhook-${ids.get('before')}` },
    { activity: 'attemptWebhook', at: 'after', workflowId: `webhook-${ids.get('after')}` },
  ]);
  await doomed.reached();
  await receivers.get('during')!.next(1);
  await doomed.kill();
  await workers.start();
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
  for (const receiver of receivers.values()) await receiver.close();
});

async function commitEvents(): Promise<void> {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const { knex, close } = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  for (const name of EVENTS) {
    const receiver = await startReceiver(...(name === 'during' ? ['silence' as const, { status: 204 }] : []));
    receivers.set(name, receiver);
    await updateWorkspace(manager, 'default', { default_callback_url: receiver.url });
    ids.set(name, (await commitEvent(gateway, knex, { eventId: `event-${name}` }))!.id);
  }
  await close();
}

test.each([
  ['before', 1],
  ['after', 1],
  ['during', 2],
])(
  'an event whose worker died %s its attempt arrives under one id in %d requests',
  async (name, requests) => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const delivery = await eventually(`the event ${name}`, async () => {
      const deliveries = await listDeliveries(manager, 'status=delivered');
      return deliveries.find(({ id }) => id === ids.get(name));
    });
    expect(delivery).toMatchObject({
      job_id: null,
      event_id: `event-${name}`,
      replays: 0,
      attempts: [{ replay: 0, attempt: 1, outcome: 'delivered', status_code: 204 }],
    });
    const { received } = receivers.get(name)!;
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(requests).fill(`event-${name}`),
    );
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  },
);
