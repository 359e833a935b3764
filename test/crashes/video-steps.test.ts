import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { addVideoModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import {
  asked,
  expectBalancedBooks,
  expectCompletedOnce,
  expectEndedOnce,
} from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { inStatus, submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { runClosed } from '../support/runs.ts';
import { createWorkerProcesses, type HoldPoint, type WorkerProcesses } from '../support/worker-processes.ts';

/**
 * One worker process, killed by SIGKILL while one job each is at every point below. The sweep is slow here:
 * what takes the jobs up again is Temporal, which misses the heartbeats.
 */
const STEPS = ['submitVideo', 'checkVideoStatus', 'storeVideoOutputs', 'settleVideo'] as const;
const MOMENTS = ['before', 'after'] as const;
const STALL: FaultInput = { kind: 'stall' };

let gateway: Gateway;
let receiver: Receiver;
let workers: WorkerProcesses;
/** Job ids by where their worker died. */
const jobs = new Map<string, string>();

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    env: { PROVIDER_PLAIN_API_KEY: 'upstream-key', JOB_SUBMIT_TIMEOUT: '5s' },
  });
  await addVideoModel(gateway, 'test/plain', [{ provider: 'plain', adapter: 'openai-compatible' }]);
  workers = createWorkerProcesses(gateway);
  await dieEverywhere();
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
  await receiver.close();
});

async function submitAs(
  name: string,
  faults: FaultInput[],
  { model = 'local/clip-canned', provider = 'local' } = {},
): Promise<string> {
  const options = { [provider]: { faults } };
  const { id } = await submit(gateway, { model, callback_url: receiver.url, provider: { options } });
  jobs.set(name, id);
  return id;
}

function job(name: string): string {
  return jobs.get(name)!;
}

async function submitAll(): Promise<HoldPoint[]> {
  const points: HoldPoint[] = [];
  for (const at of MOMENTS) {
    for (const activity of [...STEPS, 'cancelVideoUpstream'] as const) {
      const workflowId = await submitAs(
        `${at} ${activity}`,
        activity === 'cancelVideoUpstream' ? [STALL] : [],
      );
      points.push({ activity, at, workflowId });
    }
  }
  await submitAs('sending', [{ kind: 'hang', on: 'create' }]);
  await submitAs('accepted', [{ kind: 'hang-after', on: 'create' }]);
  const plain = { model: 'test/plain', provider: 'plain' };
  await submitAs('sending, no promise', [{ kind: 'hang', on: 'create' }], plain);
  await submitAs('accepted, no promise', [{ kind: 'hang-after', on: 'create' }], plain);
  await submitAs('checking', [{ kind: 'hang', on: 'retrieve' }]);
  await submitAs('fetching', [{ kind: 'hang', on: 'content' }]);
  await submitAs('unwanted', [STALL, { kind: 'hang', on: 'retrieve', times: 9 }]);
  return points;
}

async function dieEverywhere(): Promise<void> {
  const doomed = await workers.start(await submitAll());
  for (const at of MOMENTS) await askToCancel(job(`${at} cancelVideoUpstream`));
  await doomed.reached();
  for (const name of ['sending', 'accepted', 'sending, no promise', 'accepted, no promise']) {
    await unanswered('create', job(name));
  }
  for (const name of ['checking', 'unwanted']) await unanswered('retrieve', job(name));
  await unanswered('content', job('fetching'));
  await doomed.kill();
  // Nobody is there to hear it.
  await gateway.call('POST', `/videos/${job('unwanted')}/cancel`);
  await workers.start();
}

async function askToCancel(jobId: string): Promise<void> {
  await inStatus(gateway, jobId, 'in_progress');
  await gateway.call('POST', `/videos/${jobId}/cancel`);
}

function unanswered(target: string, jobId: string): Promise<unknown> {
  return eventually(`an unanswered ${target} of ${jobId}`, async () =>
    asked(gateway, target, jobId).find(({ outcome }) => outcome === 'silence'),
  );
}

function keysOf(jobId: string): (string | undefined)[] {
  return asked(gateway, 'create', jobId).map(({ idempotencyKey }) => idempotencyKey);
}

describe.each(MOMENTS)('a worker killed %s the effect of an activity', (at) => {
  test.each(STEPS)('the job in %s completes once with one submission', async (activity) => {
    const jobId = job(`${at} ${activity}`);
    await expectCompletedOnce(gateway, receiver, jobId);
    expect(keysOf(jobId)).toEqual([`${jobId}-1`]);
    expect(await runClosed(gateway, jobId)).toBe('COMPLETED');
  });

  test('the job in cancelVideoUpstream is cancelled once with one upstream cancel', async () => {
    const jobId = job(`${at} cancelVideoUpstream`);
    await expectEndedOnce(gateway, receiver, jobId, { status: 'cancelled' });
    expect(asked(gateway, 'delete', jobId)).toHaveLength(1);
  });
});

describe('a worker killed during a submission to a provider with idempotency', () => {
  test('the submission is repeated under the same key when the provider missed it', async () => {
    const jobId = job('sending');
    await expectCompletedOnce(gateway, receiver, jobId);
    expect(keysOf(jobId)).toEqual([`${jobId}-1`, `${jobId}-1`]);
  });

  test('the job that the provider accepted is found, and completes once', async () => {
    const jobId = job('accepted');
    await expectCompletedOnce(gateway, receiver, jobId);
    expect(keysOf(jobId)).toEqual([`${jobId}-1`]);
  });
});

describe('a worker killed during a submission to a provider without idempotency', () => {
  test.each(['sending, no promise', 'accepted, no promise'])(
    'the job fails as unconfirmed, unbilled, after one submission: %s',
    async (name) => {
      const jobId = job(name);
      await expectEndedOnce(gateway, receiver, jobId, { status: 'failed', failureCode: 'unconfirmed' });
      expect((await factsOf(gateway, jobId)).submissions).toEqual(['unconfirmed']);
      expect(keysOf(jobId)).toEqual([undefined]);
    },
  );
});

describe('a worker killed in the middle of a request', () => {
  test.each(['checking', 'fetching'])('the job completes once after %s', async (name) => {
    await expectCompletedOnce(gateway, receiver, job(name));
  });

  test('a job cancelled before the next worker starts is cancelled once', async () => {
    const jobId = job('unwanted');
    await expectEndedOnce(gateway, receiver, jobId, { status: 'cancelled' });
    expect(asked(gateway, 'delete', jobId)).toHaveLength(1);
  });
});

test('the counters agree with the ledger after all kills, and nothing is reserved', async () => {
  await expectBalancedBooks(gateway);
});
