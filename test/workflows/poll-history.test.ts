import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SIGNALS } from '../../domain/runs.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks, expectCompletedOnce, expectEndedOnce } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { historyOf } from '../support/runs.ts';

const POLLS = 20;
/** Polled each second, and less often by machines that are busy: not done before it was polled so often. */
const SLOW: FaultInput = { kind: 'slow', ms: POLLS * 3_000 };

let gateway: Gateway;
let receiver: Receiver;
/** All run at once, since they wait for most of their time. */
let quiet: WireJob;
let calledBack: WireJob;
let cancelled: WireJob;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ worker: ALL_QUEUES });
  [quiet, calledBack, cancelled] = await Promise.all([start(SLOW), start(SLOW), start({ kind: 'stall' })]);
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

function start(fault: FaultInput): Promise<WireJob> {
  return submit(gateway, {
    callback_url: receiver.url,
    provider: { options: { local: { faults: [fault] } } },
  });
}

test('a callback ends one wait, and the polls continue', async () => {
  await polled(calledBack.id, 2);
  await gateway.temporal.workflow.getHandle(calledBack.id).signal(SIGNALS.providerCallback);
  await polled(calledBack.id, 4);
});

describe(`a job that is polled ${POLLS} times and more`, () => {
  test('has at most 40 events in its history', async () => {
    await expectCompletedOnce(gateway, receiver, quiet.id);
    await polled(quiet.id, POLLS);
    expect((await historyOf(gateway, quiet.id)).length).toBeLessThanOrEqual(40);
  });

  test('has at most 50 events when its provider calls back', async () => {
    await expectCompletedOnce(gateway, receiver, calledBack.id);
    const events = await historyOf(gateway, calledBack.id);
    expect(events.filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal)).toHaveLength(1);
    expect(events.length).toBeLessThanOrEqual(50);
  });

  test('has at most 50 events when it is cancelled then', async () => {
    await polled(cancelled.id, POLLS);
    await gateway.call('POST', `/videos/${cancelled.id}/cancel`);
    await expectEndedOnce(gateway, receiver, cancelled.id, { status: 'cancelled' });
    expect((await historyOf(gateway, cancelled.id)).length).toBeLessThanOrEqual(50);
  });
});

test('the counters agree with the ledger and nothing stays reserved after all polls', async () => {
  await expectBalancedBooks(gateway);
});

function polled(id: string, times: number): Promise<true> {
  return eventually(`${times} checks of ${id}`, async () => {
    const { rows } = await gateway.database.query('select checks from video_jobs where id = $1', [id]);
    return rows[0].checks >= times ? true : undefined;
  });
}
