import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks } from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';
import { providerJobs } from '../support/provider-jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

const JOBS = 500;
/** How many webhooks have arrived when the worker is killed: anywhere in two stretches of the burst. */
const DEATHS = [between(20, 150), between(200, 400)];
/** How long all of it may take on a busy machine. */
const PATIENCE_MS = 500_000;

let gateway: Gateway;
let receiver: Receiver;
let workers: WorkerProcesses;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway();
  workers = createWorkerProcesses(gateway);
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
  await receiver.close();
});

function between(low: number, high: number): number {
  return low + Math.floor(Math.random() * (high - low));
}

function events(): Set<string> {
  return new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])));
}

async function arrived(count: number): Promise<void> {
  const enough = async () => (events().size >= count ? true : undefined);
  await eventually(`${count} webhooks of a worker killed at ${DEATHS.join(' and ')}`, enough, PATIENCE_MS);
}

async function openJobs(): Promise<number> {
  const { rows } = await gateway.database.query<{ n: number }>(
    `select count(*)::int n from video_jobs where status in ('pending', 'in_progress')`,
  );
  return rows[0]!.n;
}

/** Each kind of record that there must be exactly one of for each job; anything else of a job is listed. */
async function oddJobs(): Promise<unknown[]> {
  const { rows } = await gateway.database.query(
    `select * from (
       select id, status,
              array(select state from job_submissions where job_id = j.id) submissions,
              array(select status || ' ' || cost_nanos from generations where id = j.generation_id) generations,
              array(select event_id || ' ' || status from webhook_deliveries where job_id = j.id) deliveries,
              (select count(*)::int from job_outputs where job_id = j.id) outputs
       from video_jobs j) facts
     where (status, submissions, generations, deliveries, outputs) is distinct from
           ('completed', '{accepted}', '{completed 10000000}', array[id || '-completed delivered'], 1)`,
  );
  return rows;
}

async function operationIds(): Promise<string[]> {
  const { rows } = await gateway.database.query<{ id: string }>(
    `select operation ->> 'id' id from job_submissions`,
  );
  return rows.map(({ id }) => id);
}

test('a burst of 500 jobs completes each job once, although its worker dies twice', async () => {
  let worker = await workers.start();
  const jobs = await Promise.all(
    Array.from({ length: JOBS }, () => submit(gateway, { callback_url: receiver.url })),
  );
  for (const death of DEATHS) {
    await arrived(death);
    expect(await openJobs()).toBeGreaterThan(50);
    await worker.kill();
    worker = await workers.start();
  }
  await arrived(JOBS);
  expect(events()).toEqual(new Set(jobs.map(({ id }) => `${id}-completed`)));
  await eventually('the last answers being noted', async () =>
    (await oddJobs()).length === 0 ? true : undefined,
  );
  expect((await providerJobs(gateway)).toSorted()).toEqual((await operationIds()).toSorted());
  expect(await operationIds()).toHaveLength(JOBS);
  await expectBalancedBooks(gateway);
}, 1_000_000);
