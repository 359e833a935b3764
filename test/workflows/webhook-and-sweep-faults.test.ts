import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createFaultyActivities } from '../support/faulty-activities.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded, deliveryOf, factsOf } from '../support/job-facts.ts';
import { ended, submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { runClosed, runStarted } from '../support/runs.ts';

const faulty = createFaultyActivities();
let gateway: Gateway;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({
    interceptors: faulty.interceptors,
    env: {
      SWEEP_INTERVAL: '1s',
      SWEEP_GRACE: '1s',
      UNCLAIMED_AFTER: '2s',
      WEBHOOK_SCHEDULE_SECONDS: '0,0',
    },
  });
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  faulty.heal();
  await receiver.close();
});

afterAll(() => gateway.close());

async function endedJob(): Promise<string> {
  const { id } = await submit(gateway, { callback_url: receiver.url });
  await ended(gateway, id);
  return id;
}

describe('attemptWebhook', () => {
  test('dies before its effect: is made again under its own number', async () => {
    faulty.fail('attemptWebhook', 'before');
    const jobId = await endedJob();
    expect(await deliveryEnded(gateway, jobId)).toMatchObject({
      status: 'delivered',
      attempts: ['0.1 delivered 204'],
    });
    expect(receiver.received).toHaveLength(1);
  });

  test('delivered, and its answer was lost: the receiver is not called again', async () => {
    faulty.fail('attemptWebhook', 'after');
    const jobId = await endedJob();
    const { id, ...delivery } = await deliveryEnded(gateway, jobId);
    expect(await gateway.temporal.workflow.getHandle(`webhook-${id}`).result()).toEqual({
      outcome: 'delivered',
    });
    expect(delivery).toMatchObject({ status: 'delivered', attempts: ['0.1 delivered 204'] });
    expect(faulty.attempts('attemptWebhook')).toBe(2);
    expect(receiver.received).toHaveLength(1);
  });

  test('was refused by the receiver, and its answer was lost: the same event goes out under the same number', async () => {
    receiver.answers.unshift({ status: 500 });
    faulty.fail('attemptWebhook', 'after');
    const jobId = await endedJob();
    expect(await deliveryEnded(gateway, jobId)).toMatchObject({
      status: 'delivered',
      attempts: ['0.1 delivered 204'],
    });
    const [first, second] = receiver.received;
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
  });

  // Whether the sweep finds it as never dispatched or as fallen silent depends on which question comes first.
  test('fails for good: the sweep finds the open delivery and has it sent again, once', async () => {
    faulty.fail('attemptWebhook', 'for-good');
    const jobId = await endedJob();
    const { id } = await eventually('the delivery', () => deliveryOf(gateway, jobId).catch(() => undefined));
    expect(await runClosed(gateway, `webhook-${id}`)).toBe('FAILED');
    faulty.heal();
    expect(await deliveryEnded(gateway, jobId)).toMatchObject({
      status: 'delivered',
      attempts: [expect.stringMatching(/^[01]\.1 delivered 204$/)],
    });
    expect(receiver.received).toHaveLength(1);
  });
});

describe('giveUpWebhook', () => {
  test.each(['before', 'after'] as const)(
    'fails %s its effect: the delivery is exhausted once',
    async (fault) => {
      receiver.answers.splice(0, 1, { status: 500 });
      faulty.fail('giveUpWebhook', fault);
      const jobId = await endedJob();
      expect(await deliveryEnded(gateway, jobId)).toMatchObject({
        status: 'exhausted',
        replays: 0,
        attempts: ['0.1 failed 500', '0.2 failed 500'],
      });
    },
  );

  test('fails for good: the delivery is not forgotten', async () => {
    receiver.answers.splice(0, 1, { status: 500 });
    faulty.fail('giveUpWebhook', 'for-good');
    const jobId = await endedJob();
    const { id } = await eventually('the delivery', () => deliveryOf(gateway, jobId).catch(() => undefined));
    expect(await runClosed(gateway, `webhook-${id}`)).toBe('FAILED');
    faulty.heal();
    expect(await deliveryEnded(gateway, jobId)).toMatchObject({
      status: 'exhausted',
      replays: 1,
      attempts: ['0.1 failed 500', '0.2 failed 500', '1.1 failed 500', '1.2 failed 500'],
    });
  });
});

describe('sweepJobs', () => {
  /** A job as it is when the API died between commit and start. */
  async function unstartedJob(): Promise<string> {
    await gateway.stopWorker();
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
    'fails %s its effect: one run of the job is enough',
    async (fault) => {
      const jobId = await unstartedJob();
      faulty.fail('sweepJobs', fault);
      await gateway.startWorker(faulty.interceptors);
      expect((await ended(gateway, jobId)).status).toBe('completed');
      expect(await factsOf(gateway, jobId)).toMatchObject({
        submissions: ['accepted'],
        generations: [{ status: 'completed' }],
      });
      await receiver.next(1);
    },
  );

  test('fails for good: the job waits, and is started by the first sweep that works', async () => {
    const jobId = await unstartedJob();
    faulty.fail('sweepJobs', 'for-good');
    await gateway.startWorker(faulty.interceptors);
    await eventually('three failed sweeps', async () => faulty.attempts('sweepJobs') >= 3 || undefined);
    expect((await factsOf(gateway, jobId)).status).toBe('pending');
    faulty.heal();
    expect((await ended(gateway, jobId)).status).toBe('completed');
  });
});
