import { describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { eventually } from '../support/eventually.ts';
import { asked, expectBalancedBooks, expectEndedOnce } from '../support/expect-one-end.ts';
import { useFaultyJobs } from '../support/faulty-jobs.ts';
import type { Gateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { ended, type WireJob } from '../support/jobs.ts';
import type { Receiver } from '../support/receiver.ts';
import { pendingActivity } from '../support/runs.ts';

const REFUSED = { status: 'failed', failureCode: 'provider_refused' };

let gateway: Gateway;
let receiver: Receiver;
/** Refused with an hour's patience asked for: it has until its deadline, while the other tests run. */
let patient: WireJob;

const start = useFaultyJobs(
  async (...opened) => {
    [gateway, receiver] = opened;
    patient = await start([{ kind: 'status', on: 'create', status: 429, retryAfter: '3600' }]);
  },
  { env: { JOB_PENDING_DEADLINE: '20s' } },
);

async function run(...faults: FaultInput[]): Promise<WireJob> {
  return ended(gateway, (await start(faults)).id);
}

describe("a provider's certain refusal", () => {
  test("fails the job with the provider's message after one 400", async () => {
    const job = await run({ kind: 'status', on: 'create', status: 400, message: 'No cats.' });
    expect(job).toMatchObject({ status: 'failed', error: 'No cats.' });
    await expectEndedOnce(gateway, receiver, job.id, REFUSED);
    expect((await factsOf(gateway, job.id)).submissions).toEqual(['refused']);
    expect(asked(gateway, 'create', job.id)).toHaveLength(1);
  });

  test("hides the provider's message after a 401", async () => {
    const fault: FaultInput = {
      kind: 'status',
      on: 'create',
      status: 401,
      message: 'Key of ACME has expired',
    };
    const job = await run(fault);
    await expectEndedOnce(gateway, receiver, job.id, REFUSED);
    expect(job.error).not.toContain('ACME');
  });

  test('ends the submission on 429, and the next one has a new key', async () => {
    const fault: FaultInput = { kind: 'status', on: 'create', status: 429, retryAfter: '1', times: 2 };
    // Queued for whoever comes next: a new key makes the provider forget the faults of the job.
    gateway.upstream.addFaults(fault);
    const job = await run();
    expect(job.status).toBe('completed');
    expect(await factsOf(gateway, job.id)).toMatchObject({
      submissions: ['refused', 'refused', 'accepted'],
      generations: [{ status: 'completed' }],
      events: [`${job.id}-completed`],
    });
    expect(asked(gateway, 'create', job.id).map(({ idempotencyKey }) => idempotencyKey)).toEqual([
      `${job.id}-1`,
      `${job.id}-2`,
      `${job.id}-3`,
    ]);
  });

  test('shows the wait after a 429 in Temporal, and a cancel ends it at once', async () => {
    const fault: FaultInput = { kind: 'status', on: 'create', status: 429, retryAfter: '3600' };
    const { id } = await start([fault]);
    const pending = await eventually('the refusal', async () => {
      const activity = await pendingActivity(gateway, id);
      return activity?.lastFailure ? activity : undefined;
    });
    expect(pending).toMatchObject({ name: 'submitVideo', lastFailure: 'rate_limited (429)' });
    await gateway.call('POST', `/videos/${id}/cancel`);
    await expectEndedOnce(gateway, receiver, id, { status: 'cancelled' });
    expect(asked(gateway, 'create', id)).toHaveLength(1);
  });
});

test('a job expires on time when Retry-After lies beyond its deadline', async () => {
  const expired = { status: 'expired', failureCode: 'deadline_exceeded' };
  await expectEndedOnce(gateway, receiver, patient.id, expired);
  expect((await factsOf(gateway, patient.id)).submissions).toEqual(['refused']);
});

test('the counters agree with the ledger and nothing stays reserved after all refusals', async () => {
  await expectBalancedBooks(gateway);
});
