import { describe, expect, test } from '@jest/globals';
import { SIGNALS } from '../../domain/runs.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { eventually } from '../support/eventually.ts';
import { settleJob } from '../../services/videos/settle-job.ts';
import { createActivityDeps } from '../support/activity-deps.ts';
import {
  asked,
  expectBalancedBooks,
  expectCompletedOnce,
  expectEndedOnce,
  inFlight,
  PRICE_NANOS,
} from '../support/expect-one-end.ts';
import { useFaultyJobs } from '../support/faulty-jobs.ts';
import type { Gateway } from '../support/gateway.ts';
import { deliveryEnded } from '../support/job-facts.ts';
import { ended, getJob, inStatus } from '../support/jobs.ts';
import type { Receiver } from '../support/receiver.ts';
import { runClosed } from '../support/runs.ts';

/** How long the provider holds a request, so that a slow machine too does something in the middle of it. */
const HELD_MS = 5_000;

let gateway: Gateway;
let receiver: Receiver;

const start = useFaultyJobs((...opened) => ([gateway, receiver] = opened));

async function expectCompletedWithOneWebhook(jobId: string): Promise<void> {
  await expectCompletedOnce(gateway, receiver, jobId);
  expect((await deliveryEnded(gateway, jobId)).attempts).toEqual(['0.1 delivered 204']);
}

describe('a run that an operator cancels in Temporal', () => {
  async function cancelRunDuring(target: string, faults: FaultInput[]): Promise<string> {
    const job = await start(faults);
    await inFlight(gateway, target, job.id);
    await gateway.temporal.workflow.getHandle(job.id).cancel();
    await inStatus(gateway, job.id, 'cancelled');
    return job.id;
  }

  test.each<[string, FaultInput[], string]>([
    ['polls', [{ kind: 'stall' }, { kind: 'delay', on: 'retrieve', delayMs: 500, times: 99 }], 'retrieve'],
    ['submits', [{ kind: 'stall' }, { kind: 'delay', on: 'create', delayMs: HELD_MS }], 'create'],
  ])('cancels its job once and asks the provider to stop while it %s', async (_, faults, target) => {
    const jobId = await cancelRunDuring(target, faults);
    await eventually('the stop', async () => asked(gateway, 'delete', jobId)[0]);
    await expectEndedOnce(gateway, receiver, jobId, { status: 'cancelled' });
    expect(await runClosed(gateway, jobId)).toBe('COMPLETED');
  });

  test('cancels its job once at full price while it stores the file', async () => {
    const jobId = await cancelRunDuring('content', [{ kind: 'delay', on: 'content', delayMs: HELD_MS }]);
    await expectEndedOnce(gateway, receiver, jobId, { status: 'cancelled', costNanos: PRICE_NANOS });
    expect(await runClosed(gateway, jobId)).toBe('COMPLETED');
  });
});

test('a second run of a job that has ended does nothing', async () => {
  const job = await start([]);
  await ended(gateway, job.id);
  await expectCompletedWithOneWebhook(job.id);
  await runClosed(gateway, job.id);
  const again = await gateway.temporal.workflow.start('generateVideo', {
    workflowId: job.id,
    taskQueue: 'video',
    args: [
      { jobId: job.id, workspaceId: gateway.workspaceId, model: 'local/clip-canned', provider: 'local' },
    ],
  });
  expect(await again.result()).toEqual({ status: 'not_claimed' });
  expect(asked(gateway, 'create', job.id)).toHaveLength(1);
  await expectCompletedWithOneWebhook(job.id);
});

test('a job completes once when its worker stops in mid-poll and another one starts', async () => {
  const job = await start([{ kind: 'slow', ms: 3_000 }]);
  await inStatus(gateway, job.id, 'in_progress');
  await gateway.stopWorker();
  expect((await getJob(gateway, job.id)).status).toBe('in_progress');
  await gateway.startWorker();
  expect((await ended(gateway, job.id)).status).toBe('completed');
  expect(asked(gateway, 'create', job.id)).toHaveLength(1);
  await expectCompletedWithOneWebhook(job.id);
});

test('a run whose job was settled elsewhere closes with that status', async () => {
  const job = await start([{ kind: 'stall' }]);
  await inStatus(gateway, job.id, 'in_progress');
  const deps = await createActivityDeps(gateway);
  await settleJob(deps.video, job.id, { status: 'expired', code: 'deadline_exceeded' });
  await deps.close();
  expect(await gateway.temporal.workflow.getHandle(job.id).result()).toEqual({ status: 'expired' });
  await expectEndedOnce(gateway, receiver, job.id, { status: 'expired', failureCode: 'deadline_exceeded' });
  expect(asked(gateway, 'delete', job.id)).toHaveLength(1);
});

test("a callback after the run's end changes nothing about the job", async () => {
  const job = await start([]);
  await ended(gateway, job.id);
  await runClosed(gateway, job.id);
  await expect(
    gateway.temporal.workflow.getHandle(job.id).signal(SIGNALS.providerCallback),
  ).rejects.toThrow();
  await expectCompletedWithOneWebhook(job.id);
});

test('the counters agree with the ledger and nothing stays reserved after all races', async () => {
  await expectBalancedBooks(gateway);
});
