import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createFaultyActivities } from '../support/faulty-activities.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks, expectCompletedOnce } from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { runStarted } from '../support/runs.ts';

const faulty = createFaultyActivities();
let gateway: Gateway;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    worker: false,
    env: { SWEEP_INTERVAL: '1s', SWEEP_GRACE: '1s', UNCLAIMED_AFTER: '2s' },
  });
});

afterEach(async () => {
  faulty.heal();
  await gateway.stopWorker();
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

/** A job as it is when the API died between commit and start. */
async function unstartedJob(): Promise<string> {
  const { id } = await submit(gateway, { callback_url: receiver.url });
  await runStarted(gateway, id);
  await gateway.temporal.workflow.getHandle(id).terminate();
  await gateway.database.query(
    `update video_jobs set dispatched_at = null, created_at = created_at - interval '1 minute' where id = $1`,
    [id],
  );
  return id;
}

test.each(['before', 'after'] as const)(
  'a sweep that fails %s its effect: one run of the job is enough',
  async (fault) => {
    const jobId = await unstartedJob();
    faulty.fail('sweepJobs', fault);
    await gateway.startWorker(faulty.interceptors);
    await expectCompletedOnce(gateway, receiver, jobId);
    await expectBalancedBooks(gateway);
  },
);

test('sweeps that fail for good: the job waits, and is started by the first one that works', async () => {
  const jobId = await unstartedJob();
  faulty.fail('sweepJobs', 'for-good');
  await gateway.startWorker(faulty.interceptors);
  await eventually('three failed sweeps', async () => faulty.attempts('sweepJobs') >= 3 || undefined);
  expect((await factsOf(gateway, jobId)).status).toBe('pending');
  faulty.heal();
  await expectCompletedOnce(gateway, receiver, jobId);
  await expectBalancedBooks(gateway);
});
