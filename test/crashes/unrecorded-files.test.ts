import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { QUEUES, WORKFLOWS } from '../../domain/runs.ts';
import { eventually } from '../support/eventually.ts';
import {
  asked,
  expectBalancedBooks,
  expectCompletedOnce,
  expectEndedOnce,
  PRICE_NANOS,
} from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getJob, submit } from '../support/jobs.ts';
import { raiseObstacle } from '../support/obstacle.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

/** A worker killed by SIGKILL between putting a file into the object store and recording it, for two jobs. */
let gateway: Gateway;
let receiver: Receiver;
let workers: WorkerProcesses;
let jobs: Record<'wanted' | 'unwanted', string>;
/** The files of both, as the worker left them. */
let left: string[][];

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway();
  workers = createWorkerProcesses(gateway);
  jobs = { wanted: await start(), unwanted: await start() };
  await dieBeforeRecording();
  left = [await filesOf(jobs.wanted), await filesOf(jobs.unwanted)];
  await gateway.temporal.workflow.getHandle(jobs.unwanted).cancel();
  // Whoever stores once more may be done before the workflow hears that it was cancelled, and then rightly completes.
  await workers.start([{ activity: 'storeVideoOutputs', at: 'before', workflowId: jobs.unwanted }]);
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
  await receiver.close();
});

async function start(): Promise<string> {
  return (await submit(gateway, { callback_url: receiver.url })).id;
}

/** The records wait for a lock until the worker is dead, and then end with it. */
async function dieBeforeRecording(): Promise<void> {
  const obstacle = await raiseObstacle(gateway, gateway.env['DATABASE_URL']!);
  await obstacle.table('job_outputs');
  const doomed = await workers.start();
  const records = `from pg_stat_activity where wait_event_type = 'Lock' and query ilike '%insert into job_outputs%'
                   and datname = current_database()`;
  const waiting = async (): Promise<number> =>
    (await gateway.database.query(`select ${records}`)).rowCount ?? 0;
  await eventually('both records', async () => ((await waiting()) === 2 ? true : undefined));
  await doomed.kill();
  await gateway.database.query(`select pg_terminate_backend(pid) ${records}`);
  // It is no more than a signal: a record that still waits would be written once the lock is gone.
  await eventually('the end of both', async () => ((await waiting()) === 0 ? true : undefined));
  await obstacle.lift();
}

function filesOf(jobId: string): Promise<string[]> {
  return readdir(path.join(gateway.objectsFolder, 'videos', gateway.workspaceId, jobId)).catch(() => []);
}

async function intended(): Promise<string[]> {
  const { rows } = await gateway.database.query<{ job_id: string }>('select job_id from intended_outputs');
  return rows.map(({ job_id }) => job_id);
}

let cleanUps = 0;

async function cleanUp(): Promise<unknown> {
  cleanUps += 1;
  const options = { workflowId: `clean-up-${cleanUps}`, taskQueue: QUEUES.maintenance };
  return (await gateway.temporal.workflow.start(WORKFLOWS.expireOutputs, options)).result();
}

describe('a worker killed between a file and its record', () => {
  test('leaves a file that the job stores again, and completes once', async () => {
    expect(left).toEqual([['0'], ['0']]);
    await expectCompletedOnce(gateway, receiver, jobs.wanted);
    expect(asked(gateway, 'content', jobs.wanted)).toHaveLength(2);
    expect((await gateway.call('GET', `/videos/${jobs.wanted}/content`)).status).toBe(200);
  });

  test('leaves a file of a cancelled job, which is not served and is removed', async () => {
    // Its provider had made the video, and charges it.
    const costNanos = PRICE_NANOS;
    await expectEndedOnce(gateway, receiver, jobs.unwanted, { status: 'cancelled', costNanos });
    expect(await getJob(gateway, jobs.unwanted)).not.toHaveProperty('urls');
    expect((await gateway.call('GET', `/videos/${jobs.unwanted}/content`)).status).toBe(404);
    // For all that anybody knows, the worker is alive, and at it: however long all this took.
    await gateway.database.query('update video_jobs set ended_at = now()');
    expect(await cleanUp()).toEqual({ removed: 0, failed: 0 });
    expect(await intended()).toEqual([jobs.unwanted]);
    await gateway.database.query(`update video_jobs set ended_at = now() - interval '1 day'`);
    expect(await cleanUp()).toEqual({ removed: 1, failed: 0 });
    expect(await filesOf(jobs.unwanted)).toEqual([]);
    expect(await intended()).toEqual([]);
    expect(await filesOf(jobs.wanted)).toEqual(['0']);
  });
});

test('the counters agree with the ledger after the kill, and nothing is reserved', async () => {
  await expectBalancedBooks(gateway);
});
