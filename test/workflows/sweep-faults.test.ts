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
    times: {
      sweepIntervalMs: 1_000,
      sweepGraceMs: 1_000,
      unclaimedAfterMs: 3_600_000,
      setupIntervalMs: 1_000,
    },
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
  const id = await jobWithoutRun();
  await forgetStart(id);
  return id;
}

async function jobWithoutRun(): Promise<string> {
  const { id } = await submit(gateway, { callback_url: receiver.url });
  await runStarted(gateway, id);
  await eventually('the note of the start', () => isDispatched(id));
  await gateway.temporal.workflow.getHandle(id).terminate();
  return id;
}

async function forgetStart(id: string): Promise<void> {
  await gateway.database.query(
    `update video_jobs set dispatched_at = null, created_at = created_at - interval '1 minute' where id = $1`,
    [id],
  );
}

async function isDispatched(id: string): Promise<true | undefined> {
  const { rowCount } = await gateway.database.query(
    'select from video_jobs where id = $1 and dispatched_at is not null',
    [id],
  );
  return rowCount === 1 ? true : undefined;
}

test('a sweep whose first attempt fails is retried and starts the job', async () => {
  const jobId = await unstartedJob();
  faulty.fail('sweepRepeatedly', 'before');
  await gateway.startWorker(faulty.interceptors);
  await expectCompletedOnce(gateway, receiver, jobId);
  await expectBalancedBooks(gateway);
});

test('runs of the sweep that fail for good delay the job until one works', async () => {
  const jobId = await unstartedJob();
  faulty.fail('sweepRepeatedly', 'for-good');
  await gateway.startWorker(faulty.interceptors);
  await eventually('three failed runs', async () => faulty.attempts('sweepRepeatedly') >= 3 || undefined);
  expect((await factsOf(gateway, jobId)).status).toBe('pending');
  faulty.heal();
  await expectCompletedOnce(gateway, receiver, jobId);
  await expectBalancedBooks(gateway);
});

test('sweeps that fail halfway are followed by others, and no job is lost', async () => {
  const jobIds = [await jobWithoutRun(), await jobWithoutRun()];
  await gateway.database.query('alter table webhook_deliveries rename to hidden_deliveries');
  await gateway.startWorker(faulty.interceptors);
  // Each is found by a sweep that begins later, and fails afterwards at its question about webhooks.
  for (const id of jobIds) {
    await forgetStart(id);
    await eventually('the start by a sweep', () => isDispatched(id));
  }
  expect(faulty.attempts('sweepRepeatedly')).toBe(1);
  await gateway.database.query('alter table hidden_deliveries rename to webhook_deliveries');
  for (const id of jobIds) await expectCompletedOnce(gateway, receiver, id);
  await expectBalancedBooks(gateway);
});
