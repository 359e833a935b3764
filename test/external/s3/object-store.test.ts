import { beforeAll, describe } from '@jest/globals';
import { createObjectStore } from '../../../platform/create-object-store.ts';
import { describeObjectStore } from '../../platform/object-store-suite.ts';
import { createTestBucket, type TestBucket } from './test-bucket.ts';

let bucket: TestBucket;

beforeAll(async () => {
  bucket = await createTestBucket();
});

describe.each(['', 'some/prefix'])('an S3 store with the prefix %j', (prefix) => {
  describeObjectStore(async () => {
    const { name, endpoint, region, accessKeyId, secretAccessKey } = bucket;
    const access = { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle: true };
    const store = await createObjectStore({ kind: 's3', bucket: name, prefix, ...access });
    return { store, leftovers: bucket.contents };
  });
});
