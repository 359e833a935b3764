import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../../support/gateway.ts';
import { ended, submit, type WireJob } from '../../support/jobs.ts';
import { createTestBucket, type TestBucket } from './test-bucket.ts';

let gateway: Gateway;
let bucket: TestBucket;
let job: WireJob;
let file: Buffer;

beforeAll(async () => {
  bucket = await createTestBucket();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    env: {
      OBJECT_STORE: `s3://${bucket.name}/media`,
      S3_ENDPOINT: bucket.endpoint,
      S3_ACCESS_KEY_ID: bucket.accessKeyId,
      S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'true',
    },
  });
  job = await ended(gateway, (await submit(gateway, { model: 'local/clip-canned' })).id);
  file = await bytesOf(`/videos/${job.id}/content`);
});

afterAll(() => gateway.close());

async function bytesOf(path: string, headers: Record<string, string> = {}): Promise<Buffer> {
  return Buffer.from(await (await gateway.call('GET', path, { headers })).arrayBuffer());
}

test('a finished video is stored in the bucket and served whole and in ranges', async () => {
  expect(job.status).toBe('completed');
  expect(await bucket.contents()).toEqual([`media/videos/${gateway.workspaceId}/${job.id}/0`]);
  expect(file.subarray(4, 8).toString('latin1')).toBe('ftyp');
  const signed = new URL(job.urls![0]!);
  expect(await bytesOf(signed.pathname + signed.search)).toEqual(file);
  const range = { range: 'bytes=100-199' };
  expect(await bytesOf(`/videos/${job.id}/content`, range)).toEqual(file.subarray(100, 200));
});

test('an expired video is removed from the bucket, and its content answers 410', async () => {
  await gateway.database.query(`update video_jobs set outputs_expire_at = now() - interval '1 minute'`);
  await gateway.temporal.schedule.getHandle('sluice-expire-outputs').trigger();
  const empty = await eventually('the empty bucket', async () =>
    (await bucket.contents()).length === 0 ? true : undefined,
  );
  expect(empty).toBe(true);
  expect((await gateway.call('GET', `/videos/${job.id}/content`)).status).toBe(410);
});
