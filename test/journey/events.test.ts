import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createDatabase, type Database } from '../support/open-database.ts';
import { startDelivery } from '../../services/webhooks/start-delivery.ts';
import { createRunStarter } from '../../services/runs/run-starter.ts';
import { addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { listDeliveries, oneDelivery, type WireDelivery } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { commitEvent } from '../support/events.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { historyOf, historyText } from '../support/runs.ts';
import { getWorkspace, updateWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let database: Database;
let owner: Caller;
let manager: Caller;
let receiver: Receiver;
let own: Receiver;

beforeAll(async () => {
  [gateway, receiver, own] = await Promise.all([
    startGateway({
      worker: ['maintenance', 'video', 'webhooks'],
      times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
    }),
    startReceiver(),
    startReceiver(),
  ]);
  database = createDatabase({ url: gateway.config.database.url, poolMax: 2 });
  owner = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

beforeEach(async () => {
  const settings = { default_callback_url: receiver.url, webhook_event_types: null };
  await updateWorkspace(manager, 'default', settings);
});

afterAll(async () => {
  await database.close();
  await own.close();
  await receiver.close();
  await gateway.close();
});

/** The delivery once it arrived, in its first run or in the replay with this number. */
function delivered(id: string, replays = 0): Promise<WireDelivery> {
  return eventually(`delivery ${id}`, async () => {
    const all = await listDeliveries(manager, 'status=delivered&limit=100');
    return all.find((one) => one.id === id && one.replays === replays);
  });
}

function arrivalsOf(eventId: string, { received } = receiver): Received[] {
  return received.filter(({ headers }) => headers['webhook-id'] === eventId);
}

describe('an event without a job', () => {
  test('reaches the receiver once, signed, by the sweep if no process started its workflow', async () => {
    const event = (await commitEvent(gateway, database.knex))!;
    expect(await delivered(event.id)).toMatchObject({
      job_id: null,
      event_id: event.eventId,
      event_type: 'video.generation.completed',
      url: receiver.url,
      replays: 0,
      attempts: [{ replay: 0, attempt: 1, outcome: 'delivered', status_code: 204 }],
    });
    const [arrived, ...more] = arrivalsOf(event.eventId);
    expect(more).toEqual([]);
    expect(arrived!.body).toBe(event.payload);
    const headers = arrived!.headers as Record<string, string>;
    expect(new Webhook(gateway.webhookSecret).verify(arrived!.body, headers)).toEqual({
      event: event.eventId,
    });
  });

  test('starts at once from its writer, and its run names no job', async () => {
    const event = (await commitEvent(gateway, database.knex))!;
    const runs = createRunStarter({ client: gateway.temporal });
    const deps = { knex: database.knex, runs, schedule: { seconds: [0], jitter: 0 } };
    // Twice: the sweep may have been quicker.
    await startDelivery(deps, event);
    await startDelivery(deps, event);
    await delivered(event.id);
    const workflowId = `webhook-${event.id}`;
    await gateway.temporal.workflow.getHandle(workflowId).result();
    expect(arrivalsOf(event.eventId)).toHaveLength(1);
    const history = historyText(await historyOf(gateway, workflowId));
    expect(history).not.toContain('jobId');
    expect(history).toContain(`Webhook for workspace ${gateway.workspaceId}`);
  });

  test('keeps its id and its body in a replay', async () => {
    const event = (await commitEvent(gateway, database.knex))!;
    await delivered(event.id);
    expect((await manager.call('POST', `/webhooks/deliveries/${event.id}/replay`)).status).toBe(202);
    await delivered(event.id, 1);
    const [first, second] = arrivalsOf(event.eventId);
    expect(second!.body).toBe(first!.body);
  });
});

describe('GET /webhooks/deliveries by type', () => {
  test('lists only events of this type, with and without a job', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    await updateWorkspace(manager, workspaceId, { default_callback_url: receiver.url });
    const write = (type: 'video.generation.failed' | 'video.generation.expired') =>
      commitEvent(gateway, database.knex, { workspaceId, type });
    const [failed, expired] = [
      await write('video.generation.failed'),
      await write('video.generation.expired'),
    ];
    const ids = async (query: string) =>
      (await listDeliveries(manager, `workspace_id=${workspaceId}${query}`)).map(({ id }) => id);
    expect(await ids('&type=video.generation.failed')).toEqual([failed!.id]);
    expect(await ids('&type=video.generation.cancelled')).toEqual([]);
    expect(await ids('')).toEqual([expired!.id, failed!.id]);
    const { id: jobId } = await submit(owner, { callback_url: own.url });
    await ended(owner, jobId);
    const [ofJob] = await listDeliveries(manager, `job_id=${jobId}&type=video.generation.completed`);
    expect(ofJob).toMatchObject({ job_id: jobId, event_type: 'video.generation.completed' });
  });

  test.each(['video', 'webhook.test', ''])(
    'answers 400 for %j, which no delivery has as its type',
    async (type) => {
      const { code, metadata } = await errorOf(
        await manager.call('GET', `/webhooks/deliveries?type=${type}`),
      );
      expect([code, metadata.issues?.[0]?.path]).toEqual([400, 'query.type']);
    },
  );
});

describe('webhook_event_types', () => {
  test("selects what the default URL receives, but not what a job's own URL receives", async () => {
    const types = ['video.generation.failed', 'video.generation.failed', 'video.generation.cancelled'];
    const changed = await updateWorkspace(manager, 'default', { webhook_event_types: types });
    expect(changed.webhook_event_types).toEqual(['video.generation.failed', 'video.generation.cancelled']);
    const failing = { provider: { options: { local: { faults: [{ kind: 'fail', message: 'No.' }] } } } };
    const [failed, completed, named] = [
      await submit(owner, failing),
      await submit(owner),
      await submit(owner, { callback_url: own.url }),
    ];
    for (const { id } of [failed, completed, named]) await ended(owner, id);
    await oneDelivery(manager, `job_id=${failed.id}&status=delivered`);
    await oneDelivery(manager, `job_id=${named.id}&status=delivered`);
    expect(arrivalsOf(`${failed.id}-failed`)).toHaveLength(1);
    expect(arrivalsOf(`${named.id}-completed`, own)).toHaveLength(1);
    expect(await listDeliveries(manager, `job_id=${completed.id}`)).toEqual([]);
    expect(await (await owner.call('GET', `/videos/${completed.id}`)).json()).toMatchObject({
      webhook: null,
    });
  });

  test('stores a list, an empty list and null', async () => {
    for (const types of [[], ['video.generation.expired'], null]) {
      await updateWorkspace(manager, 'default', { webhook_event_types: types });
      expect((await getWorkspace(manager, 'default')).webhook_event_types).toEqual(types);
    }
  });

  test.each([[['webhook.test']], [['video.generation.done']], ['video.generation.failed']])(
    'refuses %j with 400 and the path of the value',
    async (types) => {
      const refused = await manager.call('PATCH', '/workspaces/default', {
        body: { webhook_event_types: types },
      });
      const { code, metadata } = await errorOf(refused);
      expect([code, metadata.issues?.[0]?.path]).toEqual([
        400,
        expect.stringMatching(/^body\.webhook_event_types(\.0)?$/),
      ]);
    },
  );
});
