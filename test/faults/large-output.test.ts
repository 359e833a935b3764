import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks, expectCompletedOnce } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { heldDuring } from '../support/held-memory.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const MB = 1_000_000;
const FILE_BYTES = 500 * MB;
/** Far below the file, far above what a few sockets and a workflow hold. */
const ROOM_BYTES = 64 * MB;
const LARGE: FaultInput = { kind: 'stream', bytes: FILE_BYTES, of: 'mp4' };

let gateway: Gateway;
let receiver: Receiver;
let job: WireJob;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ worker: ALL_QUEUES, times: { expireIntervalMs: 1_000 } });
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

function stored(folder: string): Promise<string[]> {
  return readdir(path.join(gateway.objectsFolder, folder)).catch(() => []);
}

test('a worker stores a file of 500 MB without holding it in memory', async () => {
  const held = await heldDuring(async () => {
    const { id } = await submit(gateway, {
      callback_url: receiver.url,
      provider: { options: { local: { faults: [LARGE] } } },
    });
    job = await ended(gateway, id);
  });
  await expectCompletedOnce(gateway, receiver, job.id);
  const file = path.join(gateway.objectsFolder, 'videos', gateway.workspaceId, job.id, '0');
  expect((await stat(file)).size).toBe(FILE_BYTES);
  expect(await stored('.incoming')).toEqual([]);
  expect(held).toBeLessThan(ROOM_BYTES);
});

test('the API serves a file of 500 MB unchanged without holding it in memory', async () => {
  const { pathname, search } = new URL(job.urls![0]!);
  const hash = createHash('sha256');
  let bytes = 0;
  const held = await heldDuring(async () => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get(gateway.origin + pathname + search, resolve).once('error', reject);
    });
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  });
  const { rows } = await gateway.database.query('select sha256 from job_outputs where job_id = $1', [job.id]);
  expect([bytes, hash.digest('hex')]).toEqual([FILE_BYTES, (rows as { sha256: string }[])[0]!.sha256]);
  expect(held).toBeLessThan(ROOM_BYTES);
});

test('the expiry of a 500 MB output removes its file from the disk', async () => {
  await gateway.database.query(`update video_jobs set outputs_expire_at = now() where id = $1`, [job.id]);
  await eventually('the removal', async () =>
    (await stored(`videos/${gateway.workspaceId}`)).length === 0 ? true : undefined,
  );
  expect((await gateway.call('GET', `/videos/${job.id}/content`)).status).toBe(410);
  await expectBalancedBooks(gateway);
});
