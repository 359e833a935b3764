import { describe, expect, test } from '@jest/globals';
import { SIGNALS } from '../../domain/runs.ts';
import { addVideoModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
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
import { deliveryEnded, factsOf } from '../support/job-facts.ts';
import { ended, inStatus, type WireJob } from '../support/jobs.ts';
import type { Receiver } from '../support/receiver.ts';

/** How long the provider holds a request, so that a slow machine too does something in the middle of it. */
const HELD_MS = 5_000;

let gateway: Gateway;
let receiver: Receiver;

const start = useFaultyJobs(async (...opened) => {
  [gateway, receiver] = opened;
  await addVideoModel(gateway, 'test/short', [{ provider: 'local', maxRunSeconds: 5 }]);
});

const FAILURE_CODES: Record<string, string> = { cancelled: 'cancelled', expired: 'deadline_exceeded' };

/** What the API does when the provider tells it of an end; none for a run that is over. */
async function callBack({ id }: WireJob): Promise<void> {
  const run = gateway.temporal.workflow.getHandle(id);
  await run.signal(SIGNALS.providerCallback).catch(() => undefined);
}

async function cancel({ id }: WireJob): Promise<{ status: number; job: WireJob }> {
  const response = await gateway.call('POST', `/videos/${id}/cancel`);
  return { status: response.status, job: (await response.json()) as WireJob };
}

/** One end, one ledger row, and one webhook, sent once, that says the same. */
async function expectOneEnd(id: string, status: string, costNanos = '0'): Promise<void> {
  const failureCode = FAILURE_CODES[status]!;
  if (status === 'completed') await expectCompletedOnce(gateway, receiver, id);
  else await expectEndedOnce(gateway, receiver, id, { status, failureCode, costNanos });
  expect((await deliveryEnded(gateway, id)).attempts).toEqual(['0.1 delivered 204']);
  expect(receiver.received.filter(({ body }) => body.includes(id))).toHaveLength(1);
}

describe('the cancel of a job', () => {
  test('comes too late while the file is being stored, and the job completes', async () => {
    const job = await start([{ kind: 'delay', on: 'content', delayMs: HELD_MS }]);
    await inFlight(gateway, 'content', job.id);
    expect(await cancel(job)).toMatchObject({ status: 200, job: { status: 'in_progress' } });
    expect((await ended(gateway, job.id)).status).toBe('completed');
    await expectOneEnd(job.id, 'completed');
    expect((await cancel(job)).status).toBe(409);
  });

  test('takes effect during a check that finds the job running', async () => {
    const job = await start([{ kind: 'stall' }, { kind: 'delay', on: 'retrieve', delayMs: 1_500, times: 9 }]);
    await inFlight(gateway, 'retrieve', job.id);
    await cancel(job);
    await inStatus(gateway, job.id, 'cancelled');
    expect(asked(gateway, 'delete', job.id)).toHaveLength(1);
    await expectOneEnd(job.id, 'cancelled');
  });

  test('takes effect during the submission and cancels the accepted job at the provider', async () => {
    const job = await start([{ kind: 'stall' }, { kind: 'delay', on: 'create', delayMs: HELD_MS }]);
    await inFlight(gateway, 'create', job.id);
    await cancel(job);
    await inStatus(gateway, job.id, 'cancelled');
    expect((await factsOf(gateway, job.id)).submissions).toEqual(['accepted']);
    expect(asked(gateway, 'delete', job.id)).toHaveLength(1);
    await expectOneEnd(job.id, 'cancelled');
  });

  test('takes effect during a submission that the provider refuses', async () => {
    const job = await start([{ kind: 'status', on: 'create', status: 429, delayMs: HELD_MS }]);
    await inFlight(gateway, 'create', job.id);
    await cancel(job);
    await inStatus(gateway, job.id, 'cancelled');
    await expectOneEnd(job.id, 'cancelled');
  });

  test('succeeds three times and ends the job once', async () => {
    const job = await start([{ kind: 'stall' }]);
    await inStatus(gateway, job.id, 'in_progress');
    const answers = await Promise.all([cancel(job), cancel(job)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await inStatus(gateway, job.id, 'cancelled');
    expect(await cancel(job)).toMatchObject({ status: 200, job: { status: 'cancelled' } });
    await expectOneEnd(job.id, 'cancelled');
  });

  test('takes effect at the next check when its signal was lost', async () => {
    const job = await start([{ kind: 'stall' }]);
    await inStatus(gateway, job.id, 'in_progress');
    await gateway.database.query('update video_jobs set cancel_requested_at = now() where id = $1', [job.id]);
    await inStatus(gateway, job.id, 'cancelled');
    expect(asked(gateway, 'delete', job.id)).toHaveLength(1);
    await expectOneEnd(job.id, 'cancelled');
  });

  test('takes effect together with callbacks of the provider', async () => {
    const job = await start([{ kind: 'stall' }]);
    await inStatus(gateway, job.id, 'in_progress');
    await Promise.all([callBack(job), cancel(job), callBack(job)]);
    await inStatus(gateway, job.id, 'cancelled');
    expect(asked(gateway, 'delete', job.id)).toHaveLength(1);
    await expectOneEnd(job.id, 'cancelled');
  });

  test("competes with the provider's end: one decides, and all records agree", async () => {
    const work = [0, 300, 600, 900, 1_200, 1_500, 1_800, 2_100];
    const jobs = await Promise.all(work.map((ms) => start([{ kind: 'slow', ms }])));
    const [middle] = jobs.slice(3);
    await eventually('a finished video', async () => asked(gateway, 'content', middle!.id)[0]);
    await Promise.all(jobs.flatMap((job) => [callBack(job), cancel(job)]));
    for (const { id } of jobs) {
      const { status } = await ended(gateway, id);
      expect(['completed', 'cancelled']).toContain(status);
      // The price, where the provider had made the video when it was asked to stop.
      await expectOneEnd(id, status, expect.stringMatching(`^(0|${PRICE_NANOS})$`) as unknown as string);
    }
  });

  test('competes with the deadline: one decides, and all records agree', async () => {
    const jobs = await Promise.all(Array.from({ length: 6 }, () => start([{ kind: 'stall' }], 'test/short')));
    for (const { id } of jobs) await inStatus(gateway, id, 'in_progress');
    const { rows } = await gateway.database.query<{ deadline: Date }>(
      'select min(deadline_at) deadline from video_jobs where id = any($1)',
      [jobs.map(({ id }) => id)],
    );
    const deadline = rows[0]!.deadline.getTime();
    // The last look is two seconds before the deadline, which is when a job that has no hope ends.
    await eventually('the deadline', async () => (Date.now() > deadline - 2_200 ? true : undefined));
    await Promise.all(jobs.map(cancel));
    for (const { id } of jobs) {
      const { status } = await ended(gateway, id);
      expect(['cancelled', 'expired']).toContain(status);
      await expectOneEnd(id, status);
    }
  });
});

test('the counters agree with the ledger and nothing stays reserved after all races', async () => {
  await expectBalancedBooks(gateway);
});
