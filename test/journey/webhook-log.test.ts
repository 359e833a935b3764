import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { listDeliveries, oneDelivery, type WireDelivery } from '../support/deliveries.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { CLOSED_PORT, type Replica, startReplica } from '../support/replica.ts';

let gateway: Gateway;
let owner: Caller;
let manager: Caller;
/** An API that cannot reach Temporal. */
let cutOff: Replica;
/** Refuses everything until it is told otherwise. */
let moody: Receiver;

beforeAll(async () => {
  gateway = await startGateway({
    worker: ['maintenance', 'video', 'webhooks'],
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  moody = await startReceiver({ status: 503, body: `down ${'x'.repeat(4_000)}` });
  owner = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
  cutOff = await startReplica(gateway, ({ temporal }) => ({
    temporal: { ...temporal, address: CLOSED_PORT },
  }));
});

afterAll(async () => {
  await cutOff.close();
  await moody.close();
  await gateway.close();
});

async function exhausted(by = owner): Promise<WireDelivery> {
  const { id } = await submit(by, { callback_url: moody.url });
  return oneDelivery(manager, `job_id=${id}&status=exhausted`);
}

function replay(delivery: WireDelivery, by = manager): Promise<Response> {
  return by.call('POST', `/webhooks/deliveries/${delivery.id}/replay`, {
    headers: { 'x-request-id': 'replay-1' },
  });
}

function arrivalsOf({ event_id }: WireDelivery): Received[] {
  return moody.received.filter(({ headers }) => headers['webhook-id'] === event_id);
}

/** Runs the work while the receiver is well. */
async function whileWell<T>(work: () => Promise<T>): Promise<T> {
  const before = moody.answers.splice(0, moody.answers.length, { status: 204 });
  try {
    return await work();
  } finally {
    moody.answers.splice(0, moody.answers.length, ...before);
  }
}

describe('the list of deliveries', () => {
  test("shows every attempt with at most 1 KiB of the receiver's answer", async () => {
    const delivery = await exhausted();
    const attempts = delivery.attempts.map((attempt) => ({ ...attempt }));
    const common = {
      replay: 0,
      outcome: 'failed',
      status_code: 503,
      reason: 'the receiver answered 503',
      response_excerpt: `down ${'x'.repeat(1_019)}`,
      started_at: expect.any(String),
      finished_at: expect.any(String),
    };
    expect(attempts).toEqual([1, 2, 3].map((attempt) => ({ ...common, attempt })));
    expect(delivery).toMatchObject({
      workspace_id: gateway.workspaceId,
      event_id: `${delivery.job_id}-completed`,
      url: moody.url,
      replays: 0,
      completed_at: expect.any(String),
    });
  });

  test('shows the newest first, in pages, filtered by workspace, job or state', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const neighbour = createCaller(gateway.origin, (await addKey(gateway, { workspaceId })).token);
    await manager.call('POST', `/workspaces/${workspaceId}/webhook-secret/rotate`);
    const first = await exhausted(neighbour);
    const second = await exhausted(neighbour);
    const ids = async (query: string) =>
      (await listDeliveries(manager, `workspace_id=${workspaceId}&${query}`)).map(({ id }) => id);
    expect(await ids('')).toEqual([second.id, first.id]);
    expect(await ids('limit=1')).toEqual([second.id]);
    expect(await ids('limit=1&offset=1')).toEqual([first.id]);
    expect(await ids(`job_id=${first.job_id}`)).toEqual([first.id]);
    expect(await ids('status=delivered')).toEqual([]);
    const page = await manager.call('GET', `/webhooks/deliveries?workspace_id=${workspaceId}&limit=1`);
    expect(await page.json()).toMatchObject({ total_count: 2 });
    const everywhere = await listDeliveries(manager);
    expect(everywhere.slice(0, 2).map(({ id }) => id)).toEqual([second.id, first.id]);
  });

  test('shows nothing for a workspace of another organization', async () => {
    const foreign = await addOrganization(gateway);
    const { token } = await addKey(gateway, { ...foreign, kind: 'management' });
    const query = `workspace_id=${gateway.workspaceId}`;
    await exhausted();
    expect(await listDeliveries(createCaller(gateway.origin, token), query)).toEqual([]);
  });
});

describe('the replay of a delivery', () => {
  test('sends the same bytes and id with a new signature, and extends the log', async () => {
    const delivery = await exhausted();
    await whileWell(async () => {
      const answer = await replay(delivery);
      expect(answer.status).toBe(202);
      expect(await answer.json()).toMatchObject({
        data: { id: delivery.id, status: 'pending', replays: 1, completed_at: null },
      });
      const after = await oneDelivery(manager, `job_id=${delivery.job_id}&status=delivered`);
      expect(after.attempts.map(({ replay: n, attempt, outcome }) => [n, attempt, outcome])).toEqual([
        [0, 1, 'failed'],
        [0, 2, 'failed'],
        [0, 3, 'failed'],
        [1, 1, 'delivered'],
      ]);
    });
    const [first, , , last, ...more] = arrivalsOf(delivery);
    expect(more).toEqual([]);
    expect(last!.body).toBe(first!.body);
    new Webhook(gateway.webhookSecret).verify(last!.body, last!.headers as Record<string, string>);
    expect(await auditRows(gateway, `webhooks/deliveries/${delivery.id}`)).toEqual([
      {
        organization_id: gateway.organizationId,
        key_hash: hashToken(gateway.managementKey),
        action: 'replayWebhookDelivery',
        target: `webhooks/deliveries/${delivery.id}`,
        request_id: 'replay-1',
      },
    ]);
  });

  test('answers 409 during attempts, and to one of two simultaneous requests', async () => {
    const delivery = await exhausted();
    await gateway.stopWorker();
    const answers = await Promise.all([replay(delivery), replay(delivery)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 409]));
    expect(await errorOf(await replay(delivery))).toEqual({
      code: 409,
      message: 'Resource conflict. Please try again later.',
      metadata: { reason: 'delivery_in_progress', retryable: true },
    });
    expect(await auditRows(gateway, `webhooks/deliveries/${delivery.id}`)).toHaveLength(1);
    await whileWell(async () => {
      await gateway.startWorker();
      await oneDelivery(manager, `job_id=${delivery.job_id}&status=delivered`);
    });
    expect(arrivalsOf(delivery)).toHaveLength(4);
  });

  test('answers 202 during an outage of Temporal, and the sweep starts it', async () => {
    const delivery = await exhausted();
    await whileWell(async () => {
      const answer = await replay(delivery, createCaller(cutOff.origin, gateway.managementKey));
      expect(answer.status).toBe(202);
      await oneDelivery(manager, `job_id=${delivery.job_id}&status=delivered`);
    });
    expect(arrivalsOf(delivery)).toHaveLength(4);
  });

  test('sends again to a receiver that had answered 410', async () => {
    const gone = await startReceiver({ status: 410 }, { status: 204 });
    const { id } = await submit(owner, { callback_url: gone.url });
    const delivery = await oneDelivery(manager, `job_id=${id}&status=stopped`);
    expect(delivery.attempts).toHaveLength(1);
    expect((await replay(delivery)).status).toBe(202);
    await oneDelivery(manager, `job_id=${id}&status=delivered`);
    await gone.close();
  });
});

test('a job without a callback URL has no delivery', async () => {
  const { id } = await submit(owner);
  await ended(owner, id);
  expect(await listDeliveries(manager, `job_id=${id}`)).toEqual([]);
});
