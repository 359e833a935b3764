import { beforeAll, describe } from '@jest/globals';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { randomUUID } from 'node:crypto';
import { createObjectStore } from '../../platform/create-object-store.ts';
import { describeObjectStore } from '../platform/object-store-suite.ts';

/**
 * Needs a real S3 service: S3_TEST_ENDPOINT, S3_TEST_ACCESS_KEY_ID and S3_TEST_SECRET_ACCESS_KEY. Makes a
 * bucket of its own.
 */
const { S3_TEST_ENDPOINT, S3_TEST_ACCESS_KEY_ID, S3_TEST_SECRET_ACCESS_KEY } = process.env;
const endpoint = S3_TEST_ENDPOINT ?? '';
const accessKeyId = S3_TEST_ACCESS_KEY_ID ?? '';
const secretAccessKey = S3_TEST_SECRET_ACCESS_KEY ?? '';
const region = 'us-east-1';
const bucket = `sluice-test-${randomUUID()}`;

const client = new S3Client({
  endpoint,
  region,
  forcePathStyle: true,
  credentials: { accessKeyId, secretAccessKey },
});

beforeAll(async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
});

async function leftovers(): Promise<string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  return [...Contents, ...Uploads].map(({ Key = '' }) => Key).sort();
}

describe.each(['', 'some/prefix'])('an S3 store with the prefix %j', (prefix) => {
  describeObjectStore(async () => ({
    store: await createObjectStore({
      kind: 's3',
      bucket,
      prefix,
      endpoint,
      region,
      accessKeyId,
      secretAccessKey,
      forcePathStyle: true,
    }),
    leftovers,
  }));
});
