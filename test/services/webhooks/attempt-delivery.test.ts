import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createWebhookStore } from '../../../db/webhooks/webhook-store.ts';
import { createOutboundGuard } from '../../../platform/outbound-guard.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import {
  attemptDelivery,
  type AttemptDeps,
  type AttemptStep,
} from '../../../services/webhooks/attempt-delivery.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { eventually } from '../../support/eventually.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { deliveryOf } from '../../support/job-facts.ts';
import { submit } from '../../support/jobs.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { withMoreTime } from '../../support/with-more-time.ts';

let gateway: Gateway;
let deps: TestActivityDeps;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway();
  deps = await createActivityDeps(gateway);
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

interface Event {
  jobId: string;
  deliveryId: string;
}

/** The webhook of a job that has just been settled. */
async function event(url = receiver.url): Promise<Event> {
  const { id: jobId } = await submit(gateway, { callback_url: url });
  const { deliveryId } = await settleJob(deps.video, jobId, { status: 'completed' });
  return { jobId, deliveryId: deliveryId! };
}

function attempt(
  { deliveryId }: Event,
  {
    replay = 0,
    signal = new AbortController().signal,
    ...over
  }: Partial<AttemptDeps> & {
    replay?: number;
    signal?: AbortSignal;
  } = {},
): Promise<AttemptStep> {
  return attemptDelivery({ ...deps.webhooks, ...over }, deliveryId, { replay, attempt: 1 }, signal);
}

async function logOf({ jobId }: Event): Promise<string[]> {
  return (await deliveryOf(gateway, jobId)).attempts;
}

test('a private address is refused before anything is sent, and logged with the reason', async () => {
  const sent = await event();
  const guard = createOutboundGuard({ allow: [] });
  expect(await attempt(sent, { guard })).toMatchObject({ kind: 'failed' });
  await guard.close();
  expect(await logOf(sent)).toEqual(['0.1 refused address_not_allowed']);
  expect(receiver.received).toEqual([]);
});

test('a host that resolves to a private address is refused at the connection', async () => {
  const sent = await event('https://receiver.example/hook');
  const guard = createOutboundGuard({
    allow: [],
    resolve: async () => ['10.0.0.1'],
  });
  expect(await attempt(sent, { guard })).toEqual({ kind: 'failed', word: 'address_not_allowed' });
  await guard.close();
  expect(await logOf(sent)).toEqual(['0.1 refused address_not_allowed']);
});

describe('Retry-After', () => {
  test.each([
    ['3', 3_000],
    ['86400', 86_400_000],
    ['31536000', 86_400_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
  ])('%s delays the next attempt by a day at most', async (header, retryAfterMs) => {
    receiver.answers.unshift({ status: 503, headers: { 'retry-after': header } });
    expect(await attempt(await event())).toEqual({
      kind: 'failed',
      word: 'the receiver answered 503',
      retryAfterMs,
    });
  });

  test('has no effect when it is malformed', async () => {
    receiver.answers.unshift({ status: 503, headers: { 'retry-after': 'soon' } });
    expect(await attempt(await event())).toEqual({ kind: 'failed', word: 'the receiver answered 503' });
  });
});

describe('a late attempt of a delivery', () => {
  test('sends nothing once the event was delivered', async () => {
    const sent = await event();
    expect(await attempt(sent)).toEqual({ kind: 'delivered' });
    expect(await attempt(sent)).toEqual({ kind: 'delivered' });
    expect(receiver.received).toHaveLength(1);
  });

  test('sends nothing once a replay has taken over', async () => {
    const sent = await event();
    await attempt(sent);
    const scope = { organizationId: gateway.organizationId };
    await createWebhookStore(deps.knex).beginReplay(scope, sent.deliveryId);
    expect(await attempt(sent)).toEqual({ kind: 'stopped' });
    expect(await attempt(sent, { replay: 1 })).toEqual({ kind: 'delivered' });
    expect(receiver.received).toHaveLength(2);
  });

  test('cannot give up a delivery that a replay has taken over', async () => {
    const sent = await event();
    const store = createWebhookStore(deps.knex);
    await store.giveUp(sent.deliveryId, 0, 'exhausted');
    await store.beginReplay({ organizationId: gateway.organizationId }, sent.deliveryId);
    await store.giveUp(sent.deliveryId, 0, 'exhausted');
    expect(await attempt(sent, { replay: 1 })).toEqual({ kind: 'delivered' });
  });

  test('stops when the delivery is unknown', async () => {
    expect(await attempt({ jobId: '', deliveryId: gateway.workspaceId })).toEqual({ kind: 'stopped' });
  });
});

describe("a receiver's response", () => {
  test('becomes text in the log without its null bytes', async () => {
    receiver.answers.unshift({ status: 500, body: 'a\0b' });
    const sent = await event();
    await attempt(sent);
    const { rows } = await gateway.database.query(
      'select response_excerpt from webhook_attempts where delivery_id = $1',
      [sent.deliveryId],
    );
    expect(rows).toEqual([{ response_excerpt: 'ab' }]);
  });

  test('counts as success when a 200 has an endless body', async () => {
    const endless = createServer((_request, response) => void response.writeHead(200).write('ok'));
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const { port } = endless.address() as AddressInfo;
    const step = await withMoreTime(500, async (timeoutMs) => {
      const { kind } = await attempt(await event(`http://127.0.0.1:${port}/`), { timeoutMs });
      return kind === 'failed' ? undefined : kind;
    });
    expect(step).toBe('delivered');
    endless.closeAllConnections();
    await new Promise((resolve) => endless.close(resolve));
  });
});

test('an attempt that a stopping worker aborts does not count', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const sent = await event(`http://127.0.0.1:${port}/`);
  const stopping = new AbortController();
  const attempted = attempt(sent, { signal: stopping.signal, timeoutMs: 60_000 });
  await eventually('the request', async () => ((await logOf(sent)).length > 0 ? true : undefined));
  stopping.abort(new Error('the worker stops'));
  await expect(attempted).rejects.toThrow('the worker stops');
  expect(await logOf(sent)).toEqual(['0.1 sending']);
  expect((await deliveryOf(gateway, sent.jobId)).status).toBe('pending');
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
});
