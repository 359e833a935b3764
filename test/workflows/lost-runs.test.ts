import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WORKFLOWS } from '../../domain/runs.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { addVideoModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { type DeliveryFacts, deliveryEnded, deliveryOf, factsOf, ledgerSums } from '../support/job-facts.ts';
import { ended, inStatus, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { runClosed, runStarted } from '../support/runs.ts';

let gateway: Gateway;
let receiver: Receiver;
/** Jobs whose runs were terminated, by what they were at. */
let lost: Record<'waitingToSubmit' | 'polling' | 'pollingPlain' | 'submittingPlain' | 'unwanted', WireJob>;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    env: {
      PROVIDER_PLAIN_API_KEY: 'upstream-key',
      JOB_SUBMIT_TIMEOUT: '5s',
    },
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000, unclaimedAfterMs: 2_000 },
  });
  await addVideoModel(gateway, 'test/plain', [{ provider: 'plain', adapter: 'openai-compatible' }]);
  lost = await loseRuns();
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

function start(faults: FaultInput[], model = 'local/clip-canned', provider = 'local'): Promise<WireJob> {
  const options = { [provider]: { faults } };
  return submit(gateway, { model, callback_url: receiver.url, provider: { options } });
}

function terminate(workflowId: string): Promise<unknown> {
  return gateway.temporal.workflow.getHandle(workflowId).terminate('test');
}

function submissions({ id }: WireJob) {
  return gateway.upstream.requests('create').filter(({ requestId }) => requestId === id);
}

async function expectCompletedOnce({ id }: WireJob): Promise<void> {
  expect((await ended(gateway, id)).status).toBe('completed');
  expect(await factsOf(gateway, id)).toMatchObject({
    submissions: ['accepted'],
    generations: [{ status: 'completed', costNanos: '10000000' }],
    events: [`${id}-completed`],
  });
  expect(submissions({ id } as WireJob)).toHaveLength(1);
  expect(await deliveryEnded(gateway, id)).toMatchObject({ status: 'delivered' });
  expect(receiver.received.filter(({ body }) => body.includes(id))).toHaveLength(1);
}

async function loseRuns(): Promise<typeof lost> {
  gateway.upstream.addFaults({ kind: 'status', on: 'create', status: 429, retryAfter: '600' });
  const waitingToSubmit = await start([]);
  await eventually('the refusal', async () => submissions(waitingToSubmit)[0]?.outcome);

  const submittingPlain = await start([{ kind: 'hang', on: 'create' }], 'test/plain', 'plain');
  await eventually('the submission', async () => submissions(submittingPlain)[0]);

  const slow: FaultInput = { kind: 'slow', ms: 12_000 };
  const polling = await start([slow]);
  const pollingPlain = await start([slow], 'test/plain', 'plain');
  const unwanted = await start([{ kind: 'stall' }]);
  for (const { id } of [polling, pollingPlain, unwanted]) await inStatus(gateway, id, 'in_progress');

  const jobs = { waitingToSubmit, submittingPlain, polling, pollingPlain, unwanted };
  for (const { id } of Object.values(jobs)) await terminate(id);
  await gateway.call('POST', `/videos/${unwanted.id}/cancel`);
  return jobs;
}

describe('a run of a job that an operator terminates', () => {
  test('leaves an accepted job to a new run, which polls it to its end', async () => {
    await expectCompletedOnce(lost.polling);
  });

  test('causes no second submission at a provider without idempotency', async () => {
    await expectCompletedOnce(lost.pollingPlain);
  });

  test('leaves a job that waits for its submission to a new run, which submits it', async () => {
    const { id } = lost.waitingToSubmit;
    expect((await ended(gateway, id)).status).toBe('completed');
    expect((await factsOf(gateway, id)).submissions).toEqual(['refused', 'accepted']);
  });

  test('leaves a submission without idempotency as unconfirmed and sent once', async () => {
    const { id } = await ended(gateway, lost.submittingPlain.id);
    expect(await factsOf(gateway, id)).toMatchObject({ status: 'failed', failureCode: 'unconfirmed' });
    expect(submissions(lost.submittingPlain)).toHaveLength(1);
  });

  test('leaves a cancel to a new run, which cancels at the provider', async () => {
    const { id } = lost.unwanted;
    await inStatus(gateway, id, 'cancelled');
    expect(gateway.upstream.requests('delete').some(({ requestId }) => requestId === id)).toBe(true);
  });
});

describe('the run of a webhook', () => {
  test('leads to one replay when an operator terminates it between two attempts', async () => {
    const slow = await startReceiver({ status: 500, headers: { 'retry-after': '3600' } }, { status: 204 });
    const { id: jobId } = await submit(gateway, { callback_url: slow.url });
    const { id } = await refusedOnce(jobId);
    await terminate(`webhook-${id}`);
    expect(await deliveryEnded(gateway, jobId)).toMatchObject({
      status: 'delivered',
      replays: 1,
      attempts: ['0.1 failed 500', '1.1 delivered 204'],
    });
    expect(new Set(slow.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    await slow.close();
  });

  test('stops its delivery, which can be replayed, when an operator cancels it', async () => {
    const slow = await startReceiver({ status: 500, headers: { 'retry-after': '3600' } }, { status: 204 });
    const { id: jobId } = await submit(gateway, { callback_url: slow.url });
    const { id } = await refusedOnce(jobId);
    await gateway.temporal.workflow.getHandle(`webhook-${id}`).cancel();
    expect((await deliveryEnded(gateway, jobId)).status).toBe('stopped');
    expect(await runClosed(gateway, `webhook-${id}`)).toBe('CANCELLED');
    const headers = { authorization: `Bearer ${gateway.managementKey}` };
    await gateway.call('POST', `/webhooks/deliveries/${id}/replay`, { headers });
    expect(await eventually('the replay', () => delivered(jobId))).toBe(true);
    await slow.close();
  });

  /** Waits until the run waits for its second attempt. */
  function refusedOnce(jobId: string): Promise<DeliveryFacts> {
    return eventually('the wait', async () => {
      const delivery = await deliveryOf(gateway, jobId).catch(() => undefined);
      return delivery?.attempts.includes('0.1 failed 500') ? delivery : undefined;
    });
  }

  async function delivered(jobId: string): Promise<true | undefined> {
    return (await deliveryOf(gateway, jobId)).status === 'delivered' ? true : undefined;
  }
});

test('a run that is alive and reported nothing keeps its job', async () => {
  const job = await start([{ kind: 'status', on: 'retrieve', status: 429, retryAfter: '600' }]);
  await inStatus(gateway, job.id, 'in_progress');
  const runId = async (): Promise<string> =>
    (await gateway.temporal.workflow.getHandle(job.id).describe()).runId;
  const before = await runId();
  // Seen alive: the sweep writes so into the row.
  const seen = await eventually('the sweep', async () => {
    const { rows } = await gateway.database.query(
      `select updated_at from video_jobs where id = $1 and updated_at > submitted_at + interval '2 seconds'`,
      [job.id],
    );
    return rows[0];
  });
  expect(seen).toBeDefined();
  expect(await runId()).toBe(before);
  await gateway.call('POST', `/videos/${job.id}/cancel`);
  await inStatus(gateway, job.id, 'cancelled');
});

test('a dispatched job whose run Temporal lost is started again', async () => {
  await gateway.stopWorker();
  const job = await start([]);
  await runStarted(gateway, job.id);
  await terminate(job.id);
  await gateway.startWorker();
  await expectCompletedOnce(job);
  expect((await gateway.temporal.workflow.getHandle(job.id).describe()).type).toBe(WORKFLOWS.generateVideo);
});

test('the counters agree with the ledger after all lost runs', async () => {
  const { generations, ...counters } = await ledgerSums(gateway);
  expect(counters).toEqual({ organization: generations, keys: generations, days: generations });
});
