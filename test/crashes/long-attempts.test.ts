import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { eventually } from '../support/eventually.ts';
import { asked, expectCompletedOnce, expectEndedOnce } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

/** Longer than a worker may be silent: what a dead worker must not do, a slow provider may. */
const LATE = { kind: 'delay', delayMs: 13_000 } as const;

let gateway: Gateway;
let receiver: Receiver;
/** Running beside each other, since each takes its time. */
let jobs: Record<'submitting' | 'checking' | 'fetching' | 'unwanted', string>;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ worker: ALL_QUEUES });
  jobs = {
    submitting: await start([{ ...LATE, on: 'create' }]),
    checking: await start([{ ...LATE, on: 'retrieve' }]),
    fetching: await start([{ ...LATE, on: 'content' }]),
    unwanted: await start([{ kind: 'stall' }, { ...LATE, on: 'create' }]),
  };
  await eventually('the submission', async () => asked(gateway, 'create', jobs.unwanted)[0]);
  await gateway.call('POST', `/videos/${jobs.unwanted}/cancel`);
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

async function start(faults: FaultInput[]): Promise<string> {
  const { id } = await submit(gateway, {
    callback_url: receiver.url,
    provider: { options: { local: { faults } } },
  });
  return id;
}

test.each(['submitting', 'checking', 'fetching'] as const)(
  'an attempt of 13 seconds is not repeated: %s',
  async (name) => {
    const jobId = jobs[name];
    await expectCompletedOnce(gateway, receiver, jobId);
    const target = { submitting: 'create', checking: 'retrieve', fetching: 'content' }[name];
    expect(asked(gateway, target, jobId)).toHaveLength(1);
  },
);

test('a cancel waits for a submission in flight, and then stops the upstream job', async () => {
  const jobId = jobs.unwanted;
  await expectEndedOnce(gateway, receiver, jobId, { status: 'cancelled' });
  expect((await factsOf(gateway, jobId)).submissions).toEqual(['accepted']);
  expect(asked(gateway, 'create', jobId)).toHaveLength(1);
  expect(asked(gateway, 'delete', jobId)).toHaveLength(1);
});
