import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ObjectStore } from '../../../platform/object-store.ts';
import { checkJob } from '../../../services/videos/check-job.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import { storeOutputs } from '../../../services/videos/store-outputs.ts';
import { submitJob } from '../../../services/videos/submit-job.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { eventually } from '../../support/eventually.ts';
import { type FileServer, serveMp4 } from '../../support/file-server.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { submit } from '../../support/jobs.ts';

const MIB = 1024 ** 2;
const SIZE = 64 * MIB;

let gateway: Gateway;
let deps: TestActivityDeps;
let files: FileServer;

beforeAll(async () => {
  files = await serveMp4(SIZE);
  gateway = await startGateway();
  deps = await createActivityDeps(gateway);
});

afterAll(async () => {
  await deps.close();
  await gateway.close();
  await files.close();
});

function contextOf(jobId: string) {
  return { signal: new AbortController().signal, requestId: jobId };
}

function keyOf(jobId: string): string {
  return `videos/${gateway.workspaceId}/${jobId}/0`;
}

/** The keys of the job's files, by what is on record of them. */
async function recorded(jobId: string): Promise<{ outputs: string[]; intended: string[] }> {
  const { rows } = await gateway.database.query(
    `select array(select object_key from job_outputs where job_id = $1) outputs,
            array(select object_key from intended_outputs where job_id = $1) intended`,
    [jobId],
  );
  return rows[0];
}

/** A job whose file is `SIZE` bytes, ready to be stored. */
async function readyJob(): Promise<string> {
  const faults = [{ kind: 'redirect', location: files.url, times: 10 }];
  const { id } = await submit(gateway, { provider: { options: { local: { faults } } } });
  await submitJob(deps.video, id, 'run', contextOf(id));
  await eventually('the video', async () => {
    const step = await checkJob(deps.video, id, contextOf(id));
    return step.kind === 'ready' ? step : undefined;
  });
  return id;
}

/** The deployment's object store, which takes nothing after the first bytes until it is let go. */
function slowStore(letGo: Promise<void>): ObjectStore {
  const { objectStore } = deps.video;
  async function* slowly(body: Readable) {
    let first = true;
    for await (const chunk of body) {
      yield chunk as Buffer;
      if (first) await letGo;
      first = false;
    }
  }
  return {
    ...objectStore,
    put: (key, body, options) =>
      objectStore.put(key, Readable.from(slowly(body), { objectMode: false }), options),
  };
}

test('a large file is fetched only as fast as the object store accepts it', async () => {
  const jobId = await readyJob();
  const letGo = Promise.withResolvers<void>();
  const slow = { ...deps.video, objectStore: slowStore(letGo.promise) };
  const storing = storeOutputs(slow, jobId, contextOf(jobId));
  let seen = -1;
  const held = await eventually('the provider to be held back', async () => {
    const before = seen;
    seen = files.sentBytes();
    return seen > 0 && seen === before ? seen : undefined;
  });
  // What lies in the sockets between the two, and no more.
  expect(held).toBeLessThan(SIZE / 2);
  letGo.resolve();
  expect(await storing).toEqual({ kind: 'stored', outputs: 1 });
  expect(files.sentBytes()).toBeGreaterThan(SIZE - MIB);
});

test('a stored file has the length and checksum on record', async () => {
  const { rows } = await gateway.database.query('select object_key, bytes, sha256 from job_outputs');
  expect(rows).toHaveLength(1);
  const [{ object_key: key, bytes, sha256 }] = rows;
  const opened = await deps.video.objectStore.open(key);
  const hash = createHash('sha256');
  for await (const chunk of opened!.body) hash.update(chunk as Buffer);
  expect([Number(bytes), opened!.bytes, sha256]).toEqual([SIZE, SIZE, hash.digest('hex')]);
});

test('a file that is stored already is not fetched again', async () => {
  const { rows } = await gateway.database.query('select job_id from job_outputs');
  const jobId = rows[0].job_id as string;
  const before = files.requests();
  expect(await storeOutputs(deps.video, jobId, contextOf(jobId))).toEqual({ kind: 'stored', outputs: 1 });
  expect(files.requests()).toBe(before);
});

test('a worker that stops in mid-file leaves nothing, and the next attempt starts over', async () => {
  const jobId = await readyJob();
  const stopped = new AbortController();
  const before = files.sentBytes();
  const storing = storeOutputs(deps.video, jobId, { signal: stopped.signal, requestId: jobId });
  await eventually('some bytes', async () => (files.sentBytes() - before > MIB ? true : undefined));
  stopped.abort();
  expect(await storing).toMatchObject({ kind: 'retry' });
  const { rows } = await gateway.database.query('select 1 from job_outputs where job_id = $1', [jobId]);
  expect(rows).toEqual([]);
  expect(await deps.video.objectStore.open(keyOf(jobId))).toBeNull();
  expect(await storeOutputs(deps.video, jobId, contextOf(jobId))).toEqual({ kind: 'stored', outputs: 1 });
});

test('an attempt past its timeout stops and leaves nothing', async () => {
  const jobId = await readyJob();
  const late = { ...deps.video, timeouts: { storeMs: 1 } };
  expect(await storeOutputs(late, jobId, contextOf(jobId))).toMatchObject({ kind: 'retry' });
  expect(await deps.video.objectStore.open(keyOf(jobId))).toBeNull();
});

test('a file whose record was lost is put again under its key and recorded once', async () => {
  const jobId = await readyJob();
  const { objectStore } = deps.video;
  const put: ObjectStore['put'] = async (...file) => {
    await objectStore.put(...file);
    throw new Error('the worker is gone');
  };
  const dying = storeOutputs(
    { ...deps.video, objectStore: { ...objectStore, put } },
    jobId,
    contextOf(jobId),
  );
  await expect(dying).rejects.toThrow('the worker is gone');
  expect(await recorded(jobId)).toEqual({ outputs: [], intended: [keyOf(jobId)] });
  expect(await storeOutputs(deps.video, jobId, contextOf(jobId))).toEqual({ kind: 'stored', outputs: 1 });
  expect(await recorded(jobId)).toEqual({ outputs: [keyOf(jobId)], intended: [] });
});

test('a job that has ended causes no fetch', async () => {
  const jobId = await readyJob();
  await settleJob(deps.video, jobId, { status: 'cancelled', code: 'cancelled' });
  const before = files.requests();
  await storeOutputs(deps.video, jobId, contextOf(jobId));
  expect(files.requests()).toBe(before);
  expect(await recorded(jobId)).toEqual({ outputs: [], intended: [] });
});
