import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createJobOutputStore } from '../../../db/job-output-store.ts';
import type { ObjectStore } from '../../../platform/object-store.ts';
import { expireOutputs } from '../../../services/jobs/expire-outputs.ts';
import { settleJob } from '../../../services/jobs/settle-job.ts';
import type { TerminalEnd } from '../../../domain/job.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { submit } from '../../support/jobs.ts';

let gateway: Gateway;
let deps: TestActivityDeps;
let store: ObjectStore;

beforeAll(async () => {
  gateway = await startGateway({ worker: false });
  deps = await createActivityDeps(gateway);
  store = deps.video.objectStore;
});

beforeEach(async () => {
  await gateway.database.query('truncate video_jobs cascade');
});

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

/** The key of a file that was stored for a job, which then ended so. */
async function storedFile(end?: TerminalEnd): Promise<string> {
  const { id: jobId } = await submit(gateway);
  const objectKey = `videos/${gateway.workspaceId}/${jobId}/0`;
  const contentType = 'video/mp4';
  const { bytes, sha256 } = await store.put(objectKey, Readable.from([Buffer.from('a file')]), {
    contentType,
  });
  const output = { jobId, index: 0, objectKey, contentType, bytes, sha256 };
  await createJobOutputStore(deps.knex).upsert(output);
  if (end !== undefined) await settleJob(deps.video, jobId, end);
  return objectKey;
}

async function isKept(objectKey: string): Promise<boolean> {
  const opened = await store.open(objectKey);
  opened?.body.destroy();
  return opened !== null;
}

const expireNow = (objectStore = store) => expireOutputs({ ...deps.maintenance.expire, objectStore }, 100);
const letTimePass = () =>
  gateway.database.query(
    'update video_jobs set outputs_expire_at = now() where outputs_expire_at is not null',
  );

describe('a file', () => {
  test('of a completed job is kept until its time is over, then removed once', async () => {
    const file = await storedFile({ status: 'completed' });
    expect(await expireNow()).toBe(0);
    await letTimePass();
    expect(await expireNow()).toBe(1);
    expect(await isKept(file)).toBe(false);
    expect(await expireNow()).toBe(0);
  });

  test('of a job that is still open is kept', async () => {
    const file = await storedFile();
    expect(await expireNow()).toBe(0);
    expect(await isKept(file)).toBe(true);
  });

  test.each<TerminalEnd>([
    { status: 'failed', code: 'output_unavailable' },
    { status: 'cancelled', code: 'cancelled' },
    { status: 'expired', code: 'deadline_exceeded' },
  ])('of a job that ended as $status is removed: nobody can ever fetch it', async (end) => {
    const file = await storedFile(end);
    expect(await expireNow()).toBe(1);
    expect(await isKept(file)).toBe(false);
  });

  test('that cannot be removed does not keep the others, and is tried again', async () => {
    const files = [await storedFile({ status: 'completed' }), await storedFile({ status: 'completed' })];
    await letTimePass();
    const refusing: ObjectStore = {
      ...store,
      delete: (key) => (key === files[0] ? Promise.reject(new Error('refused')) : store.delete(key)),
    };
    expect(await expireNow(refusing)).toBe(1);
    expect(await isKept(files[1]!)).toBe(false);
    expect(await expireNow()).toBe(1);
    expect(await isKept(files[0]!)).toBe(false);
  });
});
