import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { QUEUES, SCHEDULES, WORKFLOWS } from '../../domain/runs.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { createFaultyActivities } from '../support/faulty-activities.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks, expectCompletedOnce, expectEndedOnce } from '../support/expect-one-end.ts';
import { type FileServer, serveMp4 } from '../support/file-server.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const MIB = 1024 ** 2;
const faulty = createFaultyActivities();
let gateway: Gateway;
let receiver: Receiver;
let tooLarge: FileServer;
const jobs = new Map<string, WireJob>();

const UNAVAILABLE = { status: 'failed', failureCode: 'output_unavailable' };

/** What the provider does for as long as it is asked for the file. */
const FOR_EVER = 1_000;
const HOPELESS = {
  'never has it': [{ kind: 'status', on: 'content', status: 404, times: FOR_EVER }],
  'always breaks off': [{ kind: 'truncate', bytes: 500, times: FOR_EVER }],
  'sends something else as video/mp4': [{ kind: 'stream', bytes: 5_000, times: FOR_EVER }],
  'sends a page': [{ kind: 'content-type', value: 'text/html', times: FOR_EVER }],
  'sends us to a metadata address': [
    { kind: 'redirect', location: 'http://169.254.169.254/latest/meta-data', times: FOR_EVER },
  ],
  'sends us to a private address': [
    { kind: 'redirect', location: 'https://10.0.0.1/v.mp4', times: FOR_EVER },
  ],
} satisfies Record<string, FaultInput[]>;

beforeAll(async () => {
  tooLarge = await serveMp4(64 * MIB);
  receiver = await startReceiver();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    interceptors: faulty.interceptors,
    env: { JOB_STORE_TIMEOUT: '10s', MAX_OUTPUT_SIZE: '1MiB' },
  });
  for (const [name, faults] of Object.entries(HOPELESS)) jobs.set(name, await start(faults));
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
  await tooLarge.close();
});

function start(faults: FaultInput[]): Promise<WireJob> {
  return submit(gateway, { callback_url: receiver.url, provider: { options: { local: { faults } } } });
}

async function run(faults: FaultInput[]): Promise<WireJob> {
  return ended(gateway, (await start(faults)).id);
}

function fetches(job: WireJob) {
  return gateway.upstream.requests('content').filter(({ requestId }) => requestId === job.id);
}

async function content(job: WireJob): Promise<Buffer> {
  const answer = await gateway.call('GET', `/videos/${job.id}/content`);
  return Buffer.from(await answer.arrayBuffer());
}

describe('a file that arrives with the second fetch', () => {
  test.each<[string, FaultInput]>([
    ['is not there yet', { kind: 'status', on: 'content', status: 404 }],
    ['breaks off', { kind: 'truncate', bytes: 500 }],
    ['breaks off at its first bytes', { kind: 'truncate', bytes: 3 }],
    ['is something else at first', { kind: 'stream', bytes: 5_000 }],
    ['meets a provider that is busy', { kind: 'status', on: 'content', status: 503, retryAfter: '1' }],
  ])('reaches the store whole although it %s', async (_, fault) => {
    const job = await run([fault]);
    await expectCompletedOnce(gateway, receiver, job.id);
    expect(fetches(job)).toHaveLength(2);
    const whole = await content(await run([]));
    expect((await content(job)).equals(whole)).toBe(true);
  });
});

test('a redirect to the file itself is followed', async () => {
  const job = await run([{ kind: 'redirect' }]);
  await expectCompletedOnce(gateway, receiver, job.id);
  expect((await content(job)).subarray(4, 8).toString()).toBe('ftyp');
});

test('a file with an announced size over the limit fails the job after one fetch', async () => {
  const job = await run([{ kind: 'redirect', location: tooLarge.url, times: FOR_EVER }]);
  await expectEndedOnce(gateway, receiver, job.id, UNAVAILABLE);
  expect(await storedFiles(job)).toEqual([]);
  expect(tooLarge.requests()).toBe(1);
  // It says how long it is: what lies in the sockets between the two, and no more.
  expect(tooLarge.sentBytes()).toBeLessThan(32 * MIB);
});

test('a file of unannounced size over the limit fails the job after one fetch', async () => {
  const job = await run([{ kind: 'stream', bytes: 2 * MIB, of: 'mp4', announced: false, times: FOR_EVER }]);
  await expectEndedOnce(gateway, receiver, job.id, UNAVAILABLE);
  expect(fetches(job)).toHaveLength(1);
});

describe('a file that no fetch returns', () => {
  test.each(Object.keys(HOPELESS))(
    'fails the job, unbilled, and leaves no file when the provider %s',
    async (scenario) => {
      const job = await ended(gateway, jobs.get(scenario)!.id);
      expect(job).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('could not be retrieved'),
      });
      await expectEndedOnce(gateway, receiver, job.id, UNAVAILABLE);
      expect((await factsOf(gateway, job.id)).storedOutputs).toBe(0);
      expect(await storedFiles(job)).toEqual([]);
      expect(fetches(job).length).toBeGreaterThan(1);
    },
  );
});

test('a file that was stored for a job that then failed is removed', async () => {
  faulty.fail('storeVideoOutputs', 'after', 'for-good');
  const job = await run([]);
  faulty.heal();
  expect([job.status, await storedFiles(job)]).toEqual(['failed', ['0']]);
  await gateway.temporal.schedule.getHandle(SCHEDULES.expireOutputs).trigger();
  await eventually('the removal', async () => ((await storedFiles(job)).length === 0 ? true : undefined));
});

test('5,100 files that cannot be removed count as failed and do not block others', async () => {
  const blocked = await run([]);
  // More than one run of the workflow takes on, each under a key that the object store refuses.
  await gateway.database.query(
    `insert into job_outputs (job_id, index, object_key, content_type, bytes, sha256)
     select $1, n, '.refused', 'video/mp4', 1, '' from generate_series(1, 5100) n`,
    [blocked.id],
  );
  const behind = await run([]);
  await gateway.database.query('update video_jobs set outputs_expire_at = now() where id = any($1)', [
    [blocked.id, behind.id],
  ]);
  const options = { workflowId: 'past-refusals', taskQueue: QUEUES.maintenance };
  const expiry = await gateway.temporal.workflow.start(WORKFLOWS.expireOutputs, options);
  expect(await expiry.result()).toEqual({ removed: 2, failed: 5100 });
  expect([await storedFiles(blocked), await storedFiles(behind)]).toEqual([[], []]);
});

test('no incoming file is left, and the counters agree with the ledger', async () => {
  expect(await readdir(path.join(gateway.objectsFolder, '.incoming'))).toEqual([]);
  await expectBalancedBooks(gateway);
});

async function storedFiles(job: WireJob): Promise<string[]> {
  const folder = path.join(gateway.objectsFolder, 'videos', gateway.workspaceId, job.id);
  return readdir(folder).catch(() => []);
}
