import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { createFaultyActivities } from '../support/faulty-activities.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded, factsOf, ledgerSums, reservedNanos } from '../support/job-facts.ts';
import { ended, inStatus, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { runClosed } from '../support/runs.ts';

const faulty = createFaultyActivities();
let gateway: Gateway;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    interceptors: faulty.interceptors,
    // So that the sweep notices within seconds that a run is gone.
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 2_000, unclaimedAfterMs: 2_000 },
  });
});

afterEach(() => faulty.heal());

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

const STEPS = ['submitVideo', 'checkVideoStatus', 'storeVideoOutputs', 'settleVideo'];

describe('a step that dies before its effect', () => {
  test.each(STEPS)('%s runs again, and the job completes once', async (step) => {
    faulty.fail(step, 'before');
    const job = await complete();
    expect(faulty.ran(step)).toBe(1);
    await expectCompletedOnce(job);
  });

  test('cancelVideoUpstream runs again, and the provider is asked to stop', async () => {
    faulty.fail('cancelVideoUpstream', 'before');
    const job = await cancelled();
    expect(stops(job)).toHaveLength(1);
    await expectEndedOnce(job, 'cancelled');
  });
});

describe('a step whose result is lost after its effect', () => {
  test.each(STEPS)('%s repeats no effect when it is retried', async (step) => {
    faulty.fail(step, 'after');
    await expectCompletedOnce(await complete());
    expect(faulty.attempts(step)).toBeGreaterThan(1);
  });

  test('cancelVideoUpstream cancels the job once', async () => {
    faulty.fail('cancelVideoUpstream', 'after');
    const job = await cancelled();
    expect(faulty.ran('cancelVideoUpstream')).toBe(2);
    await expectEndedOnce(job, 'cancelled');
  });

  test('cancelVideoUpstream charges the price once when the provider refuses to stop', async () => {
    faulty.fail('cancelVideoUpstream', 'after');
    const job = await cancelled({ kind: 'status', on: 'delete', status: 409, times: 9 });
    expect(faulty.ran('cancelVideoUpstream')).toBe(2);
    await expectEndedOnce(job, 'cancelled', 'cancelled', '10000000');
  });
});

describe('a step that fails for good', () => {
  test('submitVideo fails the job without a submission', async () => {
    faulty.fail('submitVideo', 'for-good');
    const job = await completeOrNot();
    expect(submissions(job)).toEqual([]);
    await expectEndedOnce(job, 'failed', 'internal');
  });

  test('checkVideoStatus fails the job and asks the provider to stop', async () => {
    faulty.fail('checkVideoStatus', 'for-good');
    const job = await completeOrNot({ kind: 'stall' });
    expect(submissions(job)).toHaveLength(1);
    expect(stops(job)).toHaveLength(1);
    await expectEndedOnce(job, 'failed', 'internal');
  });

  test('storeVideoOutputs fails the job with output_unavailable', async () => {
    faulty.fail('storeVideoOutputs', 'for-good');
    const job = await completeOrNot();
    await expectEndedOnce(job, 'failed', 'output_unavailable');
  });

  test('cancelVideoUpstream leaves the job cancelled', async () => {
    faulty.fail('cancelVideoUpstream', 'for-good');
    const job = await cancelled();
    expect(stops(job)).toEqual([]);
    await expectEndedOnce(job, 'cancelled');
  });

  test('settleVideo leaves the job to a new run, which completes it without second submission', async () => {
    faulty.fail('settleVideo', 'for-good');
    const { id } = await submit(gateway, { callback_url: receiver.url });
    expect(await runClosed(gateway, id)).toBe('FAILED');
    expect((await factsOf(gateway, id)).status).toBe('in_progress');
    faulty.heal();
    await expectCompletedOnce(await ended(gateway, id));
  });
});

test('the counters agree with the ledger and nothing stays reserved after all faults', async () => {
  const { generations, ...counters } = await ledgerSums(gateway);
  expect(Number(generations!.requests)).toBeGreaterThan(0);
  expect(counters).toEqual({ organization: generations, keys: generations, days: generations });
  expect(await reservedNanos(gateway)).toBe(0n);
});

function begin(...faults: FaultInput[]): Promise<WireJob> {
  const provider = { options: { local: { faults } } };
  return submit(gateway, { callback_url: receiver.url, provider });
}

async function completeOrNot(...faults: FaultInput[]): Promise<WireJob> {
  return ended(gateway, (await begin(...faults)).id);
}

async function complete(): Promise<WireJob> {
  const job = await completeOrNot();
  expect(job.status).toBe('completed');
  return job;
}

async function cancelled(...faults: FaultInput[]): Promise<WireJob> {
  const { id } = await begin({ kind: 'stall' }, ...faults);
  await inStatus(gateway, id, 'in_progress');
  await gateway.call('POST', `/videos/${id}/cancel`);
  return inStatus(gateway, id, 'cancelled');
}

/** What reached the provider of this job. */
function submissions(job: WireJob) {
  return gateway.upstream.requests('create').filter(({ requestId }) => requestId === job.id);
}

function stops(job: WireJob) {
  return gateway.upstream.requests('delete').filter(({ requestId }) => requestId === job.id);
}

async function expectCompletedOnce(job: WireJob): Promise<void> {
  expect(await factsOf(gateway, job.id)).toEqual({
    status: 'completed',
    failureCode: null,
    error: null,
    submissions: ['accepted'],
    generations: [{ status: 'completed', costNanos: '10000000', cancelled: false }],
    events: [`${job.id}-completed`],
    storedOutputs: 1,
  });
  expect(submissions(job)).toHaveLength(1);
  await expectOneWebhook(job);
}

async function expectEndedOnce(
  job: WireJob,
  status: string,
  failureCode = status,
  costNanos = '0',
): Promise<void> {
  expect(await factsOf(gateway, job.id)).toMatchObject({
    status,
    failureCode,
    generations: [{ status, costNanos, cancelled: status === 'cancelled' }],
    events: [`${job.id}-${status}`],
  });
  await expectOneWebhook(job);
}

async function expectOneWebhook(job: WireJob): Promise<void> {
  expect((await deliveryEnded(gateway, job.id)).status).toBe('delivered');
  const events = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  expect(events.filter((id) => id.startsWith(job.id))).toEqual([`${job.id}-${job.status}`]);
}
