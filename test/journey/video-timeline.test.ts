import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller, type Caller } from '../support/caller.ts';
import { oneDelivery } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, getJob, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

interface WireEvent {
  type: string;
  at: string;
  last_at?: string;
}

let gateway: Gateway;
let receiver: Receiver;
let caller: Caller;
let manager: Caller;

beforeAll(async () => {
  receiver = await startReceiver({ status: 503 }, { status: 204 });
  gateway = await startGateway({ worker: ['video', 'webhooks'] });
  caller = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
});
afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

async function timelineOf({ id }: WireJob, by = caller): Promise<WireEvent[]> {
  const response = await by.call('GET', `/videos/${id}/timeline`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: WireEvent[] }).data;
}

/** A port on which nothing listens. */
const CLOSED_PORT = 1;

/** The job once this many attempts have ended with its delivery. */
function delivered({ id }: WireJob, attempts: number): Promise<WireJob> {
  return eventually(`${attempts} attempts`, async () => {
    const job = await getJob(caller, id);
    return job.webhook?.state === 'delivered' && job.webhook.attempts === attempts ? job : undefined;
  });
}

describe('the timeline of a job', () => {
  test('shows each step and each webhook attempt in order', async () => {
    const accepted = await submit(caller, { callback_url: receiver.url });
    const job = await delivered(accepted, 2);
    expect(job.webhook).toEqual({
      state: 'delivered',
      attempts: 2,
      last_status: 204,
      last_outcome: 'delivered',
      last_reason: null,
    });
    const sent = { type: 'webhook_attempt', at: expect.any(String), replay: 0 };
    const timeline = await timelineOf(job);
    expect(timeline).toEqual([
      { type: 'accepted', at: job.created_at },
      { type: 'submitted', at: job.started_at, provider: 'local' },
      { type: 'checked', at: expect.any(String), count: expect.any(Number) },
      { type: 'stored', at: expect.any(String), index: 0 },
      { type: 'settled', at: expect.any(String), status: 'completed' },
      { ...sent, attempt: 1, outcome: 'failed', status_code: 503 },
      { ...sent, attempt: 2, outcome: 'delivered', status_code: 204 },
    ]);
    expect(timeline.map(({ at }) => at).toSorted()).toEqual(timeline.map(({ at }) => at));
    expect(await timelineOf(job, manager)).toEqual(timeline);

    const delivery = await oneDelivery(manager, `job_id=${job.id}`);
    await manager.call('POST', `/webhooks/deliveries/${delivery.id}/replay`);
    await delivered(job, 3);
    expect((await timelineOf(job)).at(-1)).toEqual({
      ...sent,
      replay: 1,
      attempt: 1,
      outcome: 'delivered',
      status_code: 204,
    });
  });

  test('leaves the last failure of the webhook visible to every key of the workspace', async () => {
    const { id } = await submit(caller, { callback_url: `http://127.0.0.1:${CLOSED_PORT}/hook` });
    const exhausted = (by: Caller): Promise<WireJob> =>
      eventually('the last attempt', async () => {
        const job = await getJob(by, id);
        return job.webhook?.state === 'exhausted' ? job : undefined;
      });
    for (const by of [caller, manager]) {
      expect((await exhausted(by)).webhook).toEqual({
        state: 'exhausted',
        attempts: 3,
        last_status: null,
        last_outcome: 'failed',
        last_reason: 'The endpoint could not be reached (ECONNREFUSED)',
      });
    }
  });

  test('counts the submissions that a provider refused, by reason', async () => {
    gateway.upstream.addFaults({
      kind: 'status',
      on: 'create',
      status: 429,
      message: 'ACME owes us',
      times: 2,
    });
    const { id } = await submit(caller);
    const timeline = await timelineOf(await ended(caller, id));
    expect(timeline.slice(0, 3)).toEqual([
      { type: 'accepted', at: expect.any(String) },
      {
        type: 'refused',
        at: expect.any(String),
        last_at: expect.any(String),
        count: 2,
        provider: 'local',
        reason: 'rate_limited',
      },
      { type: 'submitted', at: expect.any(String), provider: 'local' },
    ]);
    expect(timeline.map(({ at }) => at).toSorted()).toEqual(timeline.map(({ at }) => at));
    expect(timeline[1]!.last_at! > timeline[1]!.at).toBe(true);
  });

  test('shows only accepted, submitted, checked and settled for a failed job without callback URL', async () => {
    const { id } = await submit(caller, { provider: { options: { local: { faults: [{ kind: 'fail' }] } } } });
    const job = await ended(caller, id);
    expect(job.webhook).toBeNull();
    expect(
      (await timelineOf(job)).map(({ type, ...event }) => [type, 'status' in event && event.status]),
    ).toEqual([
      ['accepted', false],
      ['submitted', false],
      ['checked', false],
      ['settled', 'failed'],
    ]);
  });
});
