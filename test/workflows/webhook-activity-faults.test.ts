import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createFaultyActivities } from '../support/faulty-activities.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks, expectCompletedOnce } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded, deliveryOf } from '../support/job-facts.ts';
import { ended, submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { runClosed } from '../support/runs.ts';

const faulty = createFaultyActivities();
let gateway: Gateway;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({
    worker: ALL_QUEUES,
    interceptors: faulty.interceptors,
    env: { WEBHOOK_SCHEDULE_SECONDS: '0,0' },
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000, unclaimedAfterMs: 2_000 },
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
  test('runs again under the same number when it dies before its effect', async () => {
    faulty.fail('attemptWebhook', 'before');
    const jobId = await endedJob();
    expect(await deliveryEnded(gateway, jobId)).toMatchObject({
      status: 'delivered',
      attempts: ['0.1 delivered 204'],
    });
    expect(receiver.received).toHaveLength(1);
    await expectCompletedOnce(gateway, receiver, jobId);
  });

  test('calls the receiver once when its result is lost after the delivery', async () => {
    faulty.fail('attemptWebhook', 'after');
    const jobId = await endedJob();
    const { id, ...delivery } = await deliveryEnded(gateway, jobId);
    expect(await gateway.temporal.workflow.getHandle(`webhook-${id}`).result()).toEqual({
      outcome: 'delivered',
    });
    expect(delivery).toMatchObject({ status: 'delivered', attempts: ['0.1 delivered 204'] });
    expect(faulty.attempts('attemptWebhook')).toBe(2);
    expect(receiver.received).toHaveLength(1);
    await expectCompletedOnce(gateway, receiver, jobId);
  });

  test("sends the same event under the same number when a refusal's result is lost", async () => {
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
    await expectCompletedOnce(gateway, receiver, jobId);
  });

  // Whether the sweep finds it as never dispatched or as fallen silent depends on which question comes first.
  test('leaves the delivery to the sweep, which sends it once, when it fails for good', async () => {
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
    await expectCompletedOnce(gateway, receiver, jobId);
  });
});

describe('giveUpWebhook', () => {
  test.each(['before', 'after'] as const)(
    'exhausts the delivery once when its attempt dies %s the effect',
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

  test('leaves the delivery to a replay when it fails for good', async () => {
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

test('the counters agree with the ledger and nothing stays reserved after all faults', async () => {
  await expectBalancedBooks(gateway);
});
