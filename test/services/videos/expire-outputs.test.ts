import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createJobOutputStore, type OutputPosition } from '../../../db/videos/job-output-store.ts';
import type { ObjectStore } from '../../../platform/object-store.ts';
import { expireOutputs } from '../../../services/videos/expire-outputs.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import type { TerminalEnd } from '../../../domain/videos/job.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { factsOf } from '../../support/job-facts.ts';
import { getJob, submit } from '../../support/jobs.ts';

let gateway: Gateway;
let deps: TestActivityDeps;
let store: ObjectStore;
let outputs: ReturnType<typeof createJobOutputStore>;

beforeAll(async () => {
  gateway = await startGateway();
  deps = await createActivityDeps(gateway);
  store = deps.video.objectStore;
  outputs = createJobOutputStore(deps.knex);
});

beforeEach(async () => {
  await gateway.database.query('truncate video_jobs cascade');
});

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

/** The key of a file that was put for a job; whether anybody lived to record it is as said. */
async function putFile(jobId: string, { confirmed = true } = {}): Promise<string> {
  const objectKey = `videos/${gateway.workspaceId}/${jobId}/0`;
  const contentType = 'video/mp4';
  await outputs.intend(jobId, [{ index: 0, objectKey }]);
  const { bytes, sha256 } = await store.put(objectKey, Readable.from([Buffer.from('a file')]), {
    contentType,
  });
  if (confirmed) await outputs.confirm({ jobId, index: 0, objectKey, contentType, bytes, sha256 });
  return objectKey;
}

/** The key of a file that was stored for a job, which then ended so. */
async function storedFile(end?: TerminalEnd): Promise<string> {
  const { id: jobId } = await submit(gateway);
  const objectKey = await putFile(jobId);
  if (end !== undefined) await settleJob(deps.video, jobId, end);
  return objectKey;
}

/** A file that a worker put right before it died, for a job that then ended so. */
async function abandonedFile(end: TerminalEnd): Promise<{ jobId: string; objectKey: string }> {
  const { id: jobId } = await submit(gateway);
  const objectKey = await putFile(jobId, { confirmed: false });
  await settleJob(deps.video, jobId, end);
  return { jobId, objectKey };
}

async function isKept(objectKey: string): Promise<boolean> {
  const opened = await store.open(objectKey);
  opened?.body.destroy();
  return opened !== null;
}

const expireNow = (objectStore = store, limit = 100, after?: OutputPosition) =>
  expireOutputs({ ...deps.maintenance.expire, objectStore }, limit, after);

/** How many files one run removed and could not remove, page by page. */
async function expirePages(objectStore: ObjectStore, limit: number): Promise<[number, number][]> {
  const pages: [number, number][] = [];
  let after: OutputPosition | undefined;
  do {
    const page = await expireNow(objectStore, limit, after);
    pages.push([page.removed, page.failed]);
    after = page.after;
  } while (after !== undefined && pages.length < 10);
  return pages;
}

const letTimePass = () =>
  gateway.database.query(
    'update video_jobs set outputs_expire_at = now() where outputs_expire_at is not null',
  );
const letEndsPass = (by: string) =>
  gateway.database.query('update video_jobs set ended_at = now() - $1::interval where ended_at is not null', [
    by,
  ]);

/** An object store that refuses to delete these. */
function refusing(...keys: string[]): ObjectStore {
  return {
    ...store,
    delete: (key) => (keys.includes(key) ? Promise.reject(new Error('refused')) : store.delete(key)),
  };
}

const NOTHING = { removed: 0, failed: 0 };
const ONE = { removed: 1, failed: 0 };
const UNBILLED: TerminalEnd[] = [
  { status: 'failed', code: 'output_unavailable' },
  { status: 'cancelled', code: 'cancelled' },
  { status: 'expired', code: 'deadline_exceeded' },
];

describe('a stored file', () => {
  test('leaves the store once when the time of its completed job is over', async () => {
    const file = await storedFile({ status: 'completed' });
    expect(await expireNow()).toEqual(NOTHING);
    await letTimePass();
    expect(await expireNow()).toEqual(ONE);
    expect(await isKept(file)).toBe(false);
    expect(await expireNow()).toEqual(NOTHING);
  });

  test('stays while its job is open', async () => {
    const file = await storedFile();
    expect(await expireNow()).toEqual(NOTHING);
    expect(await isKept(file)).toBe(true);
  });

  test.each(UNBILLED)('leaves the store when its job ended as $status', async (end) => {
    const file = await storedFile(end);
    expect(await expireNow()).toEqual(ONE);
    expect(await isKept(file)).toBe(false);
  });

  test('leaves the store again each time a late worker puts it back', async () => {
    const { jobId, objectKey } = await abandonedFile(UNBILLED[0]!);
    await letEndsPass('1 day');
    expect(await expireNow()).toEqual(ONE);
    for (const _ of ['a worker that was cut off', 'another one']) {
      await putFile(jobId);
      expect(await expireNow()).toEqual(ONE);
      expect(await isKept(objectKey)).toBe(false);
    }
  });
});

describe('files that cannot be removed', () => {
  test('count as failed, leave room for others and are removed by the next run', async () => {
    const files: string[] = [];
    for (let count = 0; count < 5; count += 1) files.push(await storedFile({ status: 'completed' }));
    await letTimePass();
    // The first two pages hold nothing else.
    const pages = await expirePages(refusing(...files.slice(0, 4)), 2);
    expect(pages).toEqual([
      [0, 2],
      [0, 2],
      [1, 0],
    ]);
    expect(await isKept(files[4]!)).toBe(false);
    expect(await expirePages(store, 3)).toEqual([
      [3, 0],
      [1, 0],
    ]);
    for (const file of files) expect(await isKept(file)).toBe(false);
  });

  test('include one whose deletion times out', async () => {
    const files = [await storedFile({ status: 'completed' }), await storedFile({ status: 'completed' })];
    await letTimePass();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setInterval', 'queueMicrotask'] });
    const others = store.delete(files[1]!);
    const silent: ObjectStore = {
      ...store,
      async delete(key) {
        await others;
        if (key !== files[0]) return;
        // The other deletion has ended when the timers run.
        await new Promise((resolve) => setImmediate(resolve));
        await jest.advanceTimersByTimeAsync(30_000);
        await new Promise(() => {});
      },
    };
    expect(await expireNow(silent).finally(() => jest.useRealTimers())).toEqual({ removed: 1, failed: 1 });
    expect(await Promise.all(files.map(isKept))).toEqual([true, false]);
  });
});

describe('a file that was put and never recorded', () => {
  test.each(UNBILLED)('leaves the store a day after its job ended as $status', async (end) => {
    const { objectKey } = await abandonedFile(end);
    await letEndsPass(`${gateway.config.jobs.storeTimeoutMs} milliseconds`);
    expect(await expireNow()).toEqual(NOTHING);
    expect(await isKept(objectKey)).toBe(true);
    await letEndsPass('1 day');
    expect(await expireNow()).toEqual(ONE);
    expect(await isKept(objectKey)).toBe(false);
    expect(await expireNow()).toEqual(NOTHING);
  });

  test('stays while its job is open, and the next attempt records it once', async () => {
    const { id: jobId } = await submit(gateway);
    const objectKey = await putFile(jobId, { confirmed: false });
    expect(await expireNow()).toEqual(NOTHING);
    expect(await outputs.intend(jobId, [{ index: 0, objectKey }])).toEqual([0]);
    await putFile(jobId);
    expect(await outputs.intend(jobId, [{ index: 0, objectKey }])).toEqual([]);
    expect(await isKept(objectKey)).toBe(true);
  });

  test('stays when another attempt recorded the same key', async () => {
    const { id: jobId } = await submit(gateway);
    const objectKey = await putFile(jobId);
    await settleJob(deps.video, jobId, { status: 'completed' });
    // What is left of an attempt that began before the record was made, and died after.
    await gateway.database.query(
      'insert into intended_outputs (job_id, index, object_key) values ($1, 0, $2)',
      [jobId, objectKey],
    );
    await letEndsPass('1 day');
    expect(await expireNow()).toEqual(NOTHING);
    expect(await isKept(objectKey)).toBe(true);
  });

  test('stays hidden from callers even when its job completed', async () => {
    const { id: jobId } = await submit(gateway);
    await putFile(jobId, { confirmed: false });
    await settleJob(deps.video, jobId, { status: 'completed' });
    const job = await getJob(gateway, jobId);
    expect([job.status, job.urls, job.unsigned_urls]).toEqual(['completed', undefined, undefined]);
    expect((await gateway.call('GET', `/videos/${jobId}/content`)).status).toBe(404);
    expect((await factsOf(gateway, jobId)).storedOutputs).toBe(0);
  });

  test('cannot be intended for a job that has ended', async () => {
    const { jobId, objectKey } = await abandonedFile(UNBILLED[1]!);
    expect(await outputs.intend(jobId, [{ index: 0, objectKey }])).toEqual([]);
  });
});
