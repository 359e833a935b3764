import { describe, expect, test } from '@jest/globals';
import { SIGNALS } from '../../domain/runs.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { eventually } from '../support/eventually.ts';
import {
  asked,
  expectBalancedBooks,
  expectCompletedOnce,
  expectEndedOnce,
} from '../support/expect-one-end.ts';
import { useFaultyJobs } from '../support/faulty-jobs.ts';
import type { Gateway } from '../support/gateway.ts';
import { type WireJob } from '../support/jobs.ts';
import type { Receiver } from '../support/receiver.ts';
import { pendingActivity } from '../support/runs.ts';

/** What the provider does to checks; all jobs run at once, since they wait for most of their time. */
const SCENARIOS = {
  vanishes: [{ kind: 'vanish', afterRetrieves: 0 }],
  vanishesNowAndThen: [
    { kind: 'slow', ms: 4_500 },
    { kind: 'status', on: 'retrieve', status: 404, times: 2 },
    { kind: 'delay', on: 'retrieve' },
    { kind: 'status', on: 'retrieve', status: 404, times: 2 },
  ],
  'answers 500': [{ kind: 'status', on: 'retrieve', status: 500, times: 3 }],
  'answers 429 and asks for a second': [
    { kind: 'status', on: 'retrieve', status: 429, retryAfter: '1', times: 3 },
  ],
  'cuts the connection': [{ kind: 'drop', on: 'retrieve', times: 3 }],
  'answers garbage': [{ kind: 'garbage', on: 'retrieve', times: 3 }],
  'answers another shape': [{ kind: 'wrong-shape', on: 'retrieve', times: 3 }],
  'answers with far too much': [{ kind: 'oversized', on: 'retrieve', times: 3 }],
  'is silent': [{ kind: 'hang', on: 'retrieve' }],
} satisfies Record<string, FaultInput[]>;

let gateway: Gateway;
let receiver: Receiver;
const jobs = new Map<string, WireJob>();

const start = useFaultyJobs(
  async (...opened) => {
    [gateway, receiver] = opened;
    for (const [name, faults] of Object.entries(SCENARIOS)) jobs.set(name, await start(faults));
  },
  { env: { JOB_CHECK_TIMEOUT: '10s' } },
);

describe('a job that its provider works on', () => {
  test("shows its attempts, the provider's status and its wait in Temporal", async () => {
    const { id } = await start([{ kind: 'slow', ms: 8_000 }]);
    const pending = await eventually('a second check', async () => {
      const activity = await pendingActivity(gateway, id);
      return activity?.name === 'checkVideoStatus' && activity.attempt >= 2 ? activity : undefined;
    });
    expect(pending.lastFailure).toMatch(/^the provider says: in_progress \(\d+ %\)$/);
    const metadata = await gateway.temporal.workflow.getHandle(id).query('__temporal_workflow_metadata');
    expect(metadata).toMatchObject({
      currentDetails: expect.stringContaining('Waiting for local to finish'),
    });
    const seen = await eventually('progress in the row', async () => {
      const { rows } = await gateway.database.query(
        'select vendor_status word from video_jobs where id = $1 and progress_percent > 0',
        [id],
      );
      return (rows as { word: string }[])[0];
    });
    expect(['in_progress', 'completed']).toContain(seen.word);
    await expectCompletedOnce(gateway, receiver, id);
  });

  test('gets a check at once when the provider calls back during a long wait', async () => {
    const { id } = await start([{ kind: 'status', on: 'retrieve', status: 429, retryAfter: '600' }]);
    await eventually('the long wait', async () =>
      (await pendingActivity(gateway, id))?.lastFailure === 'rate_limited (429)' ? true : undefined,
    );
    await gateway.temporal.workflow.getHandle(id).signal(SIGNALS.providerCallback);
    await expectCompletedOnce(gateway, receiver, id);
  });

  test('continues after a callback during a check that finds nothing new', async () => {
    const job = await start([
      { kind: 'slow', ms: 9_000 },
      { kind: 'delay', on: 'retrieve', delayMs: 5_000 },
    ]);
    await eventually('a check in flight', async () =>
      asked(gateway, 'retrieve', job.id).find(({ outcome }) => !outcome),
    );
    await gateway.temporal.workflow.getHandle(job.id).signal(SIGNALS.providerCallback);
    await expectCompletedOnce(gateway, receiver, job.id);
  });
});

describe('a check that fails', () => {
  test('ends the job as provider_vanished after three 404 in a row', async () => {
    const { id } = jobs.get('vanishes')!;
    await expectEndedOnce(gateway, receiver, id, { status: 'failed', failureCode: 'provider_vanished' });
    expect(asked(gateway, 'retrieve', id)).toHaveLength(3);
  });

  test('keeps the job after two 404, an answer and two more 404', async () => {
    await expectCompletedOnce(gateway, receiver, jobs.get('vanishesNowAndThen')!.id);
  });

  test.each([
    ['answers 500', 3],
    ['answers 429 and asks for a second', 3],
    ['cuts the connection', 3],
    ['answers garbage', 3],
    ['answers another shape', 3],
    ['answers with far too much', 3],
    ['is silent', 1],
  ] as const)('runs again when the provider %s', async (scenario, failures) => {
    const { id } = jobs.get(scenario)!;
    await expectCompletedOnce(gateway, receiver, id);
    expect(asked(gateway, 'retrieve', id)).toHaveLength(failures + 1);
  });
});

test('a cancel while the provider is silent ends the job as cancelled', async () => {
  const { id } = await start([{ kind: 'stall' }, { kind: 'hang', on: 'retrieve', times: 100 }]);
  await eventually('a check in flight', async () => asked(gateway, 'retrieve', id)[0]);
  await gateway.call('POST', `/videos/${id}/cancel`);
  await expectEndedOnce(gateway, receiver, id, { status: 'cancelled' });
});

test('the counters agree with the ledger and nothing stays reserved after all checks', async () => {
  await expectBalancedBooks(gateway);
});
