import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';

export interface TestBucket {
  name: string;
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Keys of all objects and of all uploads that were begun and not ended. */
  contents(): Promise<string[]>;
  /** The text of an object. */
  read(key: string): Promise<string>;
}

/**
 * A bucket of its own on a real S3 service: the one named by S3_TEST_ENDPOINT, S3_TEST_ACCESS_KEY_ID and
 * S3_TEST_SECRET_ACCESS_KEY, as `npm run test:external` sets them.
 */
export async function createTestBucket(): Promise<TestBucket> {
  const { S3_TEST_ENDPOINT, S3_TEST_ACCESS_KEY_ID, S3_TEST_SECRET_ACCESS_KEY } = process.env;
  const endpoint = S3_TEST_ENDPOINT ?? '';
  const accessKeyId = S3_TEST_ACCESS_KEY_ID ?? '';
  const secretAccessKey = S3_TEST_SECRET_ACCESS_KEY ?? '';
  const region = 'us-east-1';
  const name = `sluice-test-${randomUUID()}`;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: name }));
  return {
    name,
    endpoint,
    region,
    accessKeyId,
    secretAccessKey,
    async contents() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: name }));
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: name }));
      return [...Contents, ...Uploads].map(({ Key = '' }) => Key).sort();
    },
    async read(key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: name, Key: key }));
      return (await Body?.transformToString()) ?? '';
    },
  };
}
