import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WORKFLOWS } from '../../domain/runs.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks, expectCompletedOnce } from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded, deliveryOf } from '../support/job-facts.ts';
import { ended, getJob, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { CLOSED_PORT, type Replica, startReplica } from '../support/replica.ts';
import { runClosed } from '../support/runs.ts';
import { createWorkerProcesses, type HoldPoint, type WorkerProcesses } from '../support/worker-processes.ts';

/**
 * Two worker processes, killed by SIGKILL one after the other: the first while a webhook each is at every
 * point of its delivery and before a sweep and a clean-up did anything, the second after they had.
 */
const RECEIVER_OF = {
  'before attemptWebhook': 'quick',
  'after attemptWebhook': 'quick',
  'during attemptWebhook': 'silentOnce',
  'before giveUpWebhook': 'failing',
  'after giveUpWebhook': 'failing',
} as const;
const MOMENTS = ['before', 'after'] as const;

let gateway: Gateway;
let receivers: Record<'quick' | 'silentOnce' | 'failing', Receiver>;
let workers: WorkerProcesses;
/** An API that cannot reach Temporal: what it accepts, only the sweep can start. */
let cutOff: Replica;
/** Job ids by where the worker of their webhook, or of the sweep that is to start them, died. */
const jobs = new Map<string, string>();
/** What was found right after the first death and right after the second. */
const found: { files: number; dispatched: boolean; answers: number }[] = [];

beforeAll(async () => {
  receivers = {
    quick: await startReceiver(),
    silentOnce: await startReceiver('silence', { status: 204 }),
    failing: await startReceiver({ status: 500 }),
  };
  gateway = await startGateway({
    env: { WEBHOOK_SCHEDULE_SECONDS: '0,0' },
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  cutOff = await startReplica(gateway, ({ temporal }) => ({
    temporal: { ...temporal, address: CLOSED_PORT },
  }));
  workers = createWorkerProcesses(gateway);
  await endJobs();
  await dieFirst();
  await dieSecond();
  await workers.start();
});

afterAll(async () => {
  await workers.close();
  await cutOff.close();
  await gateway.close();
  for (const receiver of Object.values(receivers)) await receiver.close();
});

function job(name: string): string {
  return jobs.get(name)!;
}

/** The job whose files are no longer kept. */
function outdated(): string {
  return job('before attemptWebhook');
}

/** Runs jobs to their ends while nobody delivers webhooks. */
async function endJobs(): Promise<void> {
  const videosOnly = await workers.start([], { WORKER_QUEUES: 'video' });
  for (const [name, receiver] of Object.entries(RECEIVER_OF)) {
    jobs.set(name, (await submit(gateway, { callback_url: receivers[receiver].url })).id);
  }
  for (const id of jobs.values()) await ended(gateway, id);
  await rememberAnswer();
  await videosOnly.kill();
  await gateway.database.query('update video_jobs set outputs_expire_at = now() where id = $1', [outdated()]);
}

/** An answer that is kept for its `Idempotency-Key`, and has been for a day. */
async function rememberAnswer(): Promise<void> {
  const body = { model: 'local/clip-canned', prompt: 'a test' };
  const headers = { 'idempotency-key': 'outdated' };
  const answer = await gateway.call('POST', '/videos', { body, headers });
  await ended(gateway, ((await answer.json()) as WireJob).id);
  await gateway.database.query(`update remembered_answers set created_at = now() - interval '24 hours'`);
}

async function dieFirst(): Promise<void> {
  await submitUnstarted('before a sweep');
  const doomed = await workers.start([
    await inDelivery('before', 'attemptWebhook'),
    await inDelivery('after', 'attemptWebhook'),
    await inDelivery('before', 'giveUpWebhook'),
    await inDelivery('after', 'giveUpWebhook'),
    { activity: 'sweepRepeatedly', at: 'before' },
    { activity: 'expireOutputsPage', at: 'before' },
    { activity: 'forgetAnswersPage', at: 'before', workflowId: 'forget first' },
  ]);
  await startCleanUp('first');
  await startForgetting('forget first');
  await doomed.reached();
  await receivers.silentOnce.next(1);
  await doomed.kill();
  found.push(await lookAround('before a sweep'));
}

async function dieSecond(): Promise<void> {
  await submitUnstarted('after a sweep');
  // This worker delivers no webhooks. Its death could interrupt one that the first worker left, and that one would be
  // sent again.
  const doomed = await workers.start(
    [
      { activity: 'expireOutputsPage', at: 'after', workflowId: 'second' },
      { activity: 'forgetAnswersPage', at: 'after', workflowId: 'forget second' },
    ],
    { WORKER_QUEUES: 'maintenance' },
  );
  await startCleanUp('second');
  await startForgetting('forget second');
  await doomed.reached();
  await eventually('the start by the sweep', async () => (await isDispatched('after a sweep')) || undefined);
  await doomed.kill();
  found.push(await lookAround('after a sweep'));
}

async function submitUnstarted(name: string): Promise<void> {
  const caller = createCaller(cutOff.origin, gateway.apiKey);
  const { id } = await submit(caller, { callback_url: receivers.quick.url });
  jobs.set(name, id);
  await eventually('the sweep to care', async () => {
    const { rows } = await gateway.database.query(
      `select from video_jobs where id = $1 and created_at < now() - interval '1 second'`,
      [id],
    );
    return rows[0];
  });
}

async function inDelivery(at: HoldPoint['at'], activity: HoldPoint['activity']): Promise<HoldPoint> {
  return { activity, at, workflowId: await deliveryRun(`${at} ${activity}`) };
}

async function deliveryRun(name: string): Promise<string> {
  return `webhook-${(await deliveryOf(gateway, job(name))).id}`;
}

async function isDispatched(name: string): Promise<boolean> {
  const { rows } = await gateway.database.query('select dispatched_at from video_jobs where id = $1', [
    job(name),
  ]);
  return rows[0].dispatched_at !== null;
}

async function lookAround(name: string): Promise<(typeof found)[number]> {
  const folder = path.join(gateway.objectsFolder, 'videos', gateway.workspaceId, outdated());
  const { rows: answers } = await gateway.database.query('select key from remembered_answers');
  return {
    answers: answers.length,
    files: (await readdir(folder).catch(() => [])).length,
    dispatched: await isDispatched(name),
  };
}

function startCleanUp(workflowId: string) {
  return gateway.temporal.workflow.start(WORKFLOWS.expireOutputs, { workflowId, taskQueue: 'maintenance' });
}

function startForgetting(workflowId: string) {
  return gateway.temporal.workflow.start(WORKFLOWS.forgetAnswers, { workflowId, taskQueue: 'maintenance' });
}

function eventIds(receiver: Receiver, jobId: string): string[] {
  const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  return ids.filter((id) => id.startsWith(jobId));
}

const DELIVERED_AT_FIRST = { status: 'delivered', replays: 0, attempts: ['0.1 delivered 204'] };

describe('a worker killed at attemptWebhook', () => {
  test.each(MOMENTS)('the event is delivered once when the kill comes %s the effect', async (at) => {
    const jobId = job(`${at} attemptWebhook`);
    expect(await deliveryEnded(gateway, jobId)).toMatchObject(DELIVERED_AT_FIRST);
    expect(eventIds(receivers.quick, jobId)).toEqual([`${jobId}-completed`]);
  });

  test('the same event is sent twice under one id when the receiver had not answered', async () => {
    const jobId = job('during attemptWebhook');
    expect(await deliveryEnded(gateway, jobId)).toMatchObject(DELIVERED_AT_FIRST);
    expect(eventIds(receivers.silentOnce, jobId)).toEqual([`${jobId}-completed`, `${jobId}-completed`]);
    const [first, second] = receivers.silentOnce.received;
    expect(second!.body).toBe(first!.body);
  });
});

describe('a worker killed at giveUpWebhook', () => {
  test.each(MOMENTS)('the delivery is exhausted once when the kill comes %s the effect', async (at) => {
    const name = `${at} giveUpWebhook`;
    expect(await deliveryEnded(gateway, job(name))).toMatchObject({
      status: 'exhausted',
      replays: 0,
      attempts: ['0.1 failed 500', '0.2 failed 500'],
    });
    expect(await runClosed(gateway, await deliveryRun(name))).toBe('COMPLETED');
  });
});

describe('a worker killed during its sweep', () => {
  test.each(MOMENTS)('the job starts and completes once when the kill comes %s its start', async (at) => {
    await expectCompletedOnce(gateway, receivers.quick, job(`${at} a sweep`));
    expect(found.map(({ dispatched }) => dispatched)).toEqual([false, true]);
  });
});

describe('a worker killed at expireOutputsPage', () => {
  test('the next clean-up succeeds, and the removed file answers 410', async () => {
    expect(found.map(({ files }) => files)).toEqual([1, 0]);
    for (const run of ['first', 'second']) expect(await runClosed(gateway, run)).toBe('FAILED');
    await (await startCleanUp('third')).result();
    expect(await getJob(gateway, outdated())).toMatchObject({ status: 'completed' });
    expect((await gateway.call('GET', `/videos/${outdated()}/content`)).status).toBe(410);
  });
});

describe('a worker killed at forgetAnswersPage', () => {
  test('the remembered answer is deleted once, and the next run succeeds', async () => {
    expect(found.map(({ answers }) => answers)).toEqual([1, 0]);
    for (const run of ['forget first', 'forget second']) expect(await runClosed(gateway, run)).toBe('FAILED');
    await (await startForgetting('forget third')).result();
  });
});

test('the counters agree with the ledger after both kills, and nothing is reserved', async () => {
  await expectBalancedBooks(gateway);
});
