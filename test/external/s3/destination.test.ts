import { beforeEach, describe, expect, test } from '@jest/globals';
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { s3 } from '../../../services/broadcast/destinations/s3.ts';
import { closeAfterEach, guardWith } from '../../platform/outbound-setup.ts';
import { depsWith, NEVER } from '../../services/broadcast/destinations/fake-tool.ts';
import { makeSpan } from '../../services/broadcast/destinations/make-span.ts';
import { createTestBucket, type TestBucket } from './test-bucket.ts';

closeAfterEach();

let bucket: TestBucket;

beforeEach(async () => {
  bucket = await createTestBucket();
});

function configOf(change: Partial<DestinationConfigs['s3']> = {}): DestinationConfigs['s3'] {
  const { name, endpoint, region, accessKeyId, secretAccessKey } = bucket;
  const access = { endpoint, region, accessKeyId, secretAccessKey };
  return {
    bucketName: name,
    ...access,
    prefix: 'traces',
    pathTemplate: '{prefix}/{date}/{apiKeyName}',
    ...change,
  };
}

const batch = {
  spans: [makeSpan(), makeSpan({ generationId: 'gen-2', spanId: 'b7ad6b7169203332' })],
  id: 'batch-1',
  destinationId: 'destination-1',
};

describe('a destination on a real S3 server', () => {
  test('stores a batch as one object and leaves it unchanged when the batch is repeated', async () => {
    const send = () => s3.send(batch, configOf(), depsWith(guardWith()), NEVER);
    expect(await send()).toMatchObject({ kind: 'delivered', rejected: 0 });
    const keys = await bucket.contents();
    expect(keys).toEqual([
      expect.stringMatching(/^traces\/2026-11-22\/backend\/20261122T160000000Z-.+\.jsonl$/),
    ]);
    const stored = await bucket.read(keys[0]!);
    const lines = stored.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ trace: expect.anything() }),
      expect.objectContaining({ trace: expect.anything() }),
    ]);
    expect(await send()).toMatchObject({ kind: 'delivered' });
    expect(await bucket.contents()).toEqual(keys);
    expect(await bucket.read(keys[0]!)).toBe(stored);
  });

  test('pauses when the server does not know its key or its bucket', async () => {
    const send = (config: DestinationConfigs['s3']) => s3.send(batch, config, depsWith(guardWith()), NEVER);
    // versitygw answers 404 to an unknown key, and AWS 403.
    expect(await send(configOf({ accessKeyId: 'nobody' }))).toMatchObject({ kind: 'pause' });
    expect(await send(configOf({ secretAccessKey: 'wrong' }))).toMatchObject({ kind: 'pause', status: 403 });
    expect(await send(configOf({ bucketName: 'no-such-bucket' }))).toMatchObject({
      kind: 'pause',
      status: 404,
    });
  });

  test('writes one small object of a fixed name for a connection test', async () => {
    expect(await s3.test!(configOf(), depsWith(guardWith()), NEVER)).toMatchObject({ kind: 'delivered' });
    expect(await bucket.contents()).toEqual(['traces/.sluice-connection-test.json']);
  });
});
