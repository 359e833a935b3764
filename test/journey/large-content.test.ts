import { fstatSync } from 'node:fs';
import { stat, truncate } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Caller, createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';

const MIB = 1024 ** 2;
const FILE_BYTES = 256 * MIB;
/** Far below the file, far above what a few sockets and the garbage of a test run hold. */
const ROOM_BYTES = 128 * MIB;

let gateway: Gateway;
let caller: Caller;
let job: WireJob;
let file: string;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['video'] });
  caller = createCaller(gateway.origin, gateway.apiKey);
  job = await ended(caller, (await submit(caller)).id);
  file = path.join(gateway.objectsFolder, 'videos', gateway.workspaceId, job.id, '0');
  // The canned clip grows: the same start, and then zeros that take no room on the disk.
  await truncate(file, FILE_BYTES);
  await gateway.database.query('update job_outputs set bytes = $1 where job_id = $2', [FILE_BYTES, job.id]);
});

afterAll(async () => {
  await gateway.close();
});

/** Asks for the file and reads nothing yet. */
function open(): Promise<IncomingMessage> {
  const { pathname, search } = new URL(job.urls![0]!);
  return new Promise((resolve, reject) => {
    get(gateway.origin + pathname + search, { agent: false }, resolve).once('error', reject);
  });
}

/** How many of this process's descriptors lead to the file. */
async function countOpen(): Promise<number> {
  const { dev, ino } = await stat(file);
  return Array.from({ length: 4_096 }, (_, descriptor) => descriptor).filter((descriptor) => {
    try {
      const facts = fstatSync(descriptor);
      return facts.dev === dev && facts.ino === ino;
    } catch {
      return false;
    }
  }).length;
}

function opened(count: number): Promise<true> {
  return eventually(`${count} open files`, async () => ((await countOpen()) === count ? true : undefined));
}

describe('a large output', () => {
  test('arrives whole while memory grows by less than half of its size', async () => {
    const before = process.memoryUsage().rss;
    let [received, peak] = [0, 0];
    for await (const chunk of await open()) {
      received += (chunk as Buffer).length;
      peak = Math.max(peak, process.memoryUsage().rss - before);
    }
    expect(received).toBe(FILE_BYTES);
    expect(peak).toBeLessThan(ROOM_BYTES);
    await opened(0);
  });

  test('leaves the disk no faster than its readers take it', async () => {
    const before = process.memoryUsage().rss;
    const readers = await Promise.all(Array.from({ length: 8 }, open));
    await opened(readers.length);
    await Promise.all(readers.map((reader) => read(reader, 4 * MIB)));
    expect(process.memoryUsage().rss - before).toBeLessThan(ROOM_BYTES);
    for (const reader of readers) reader.destroy();
    await opened(0);
  });

  test('closes its file when its reader disconnects at any moment', async () => {
    for (const bytesFirst of [0, 1, 64 * 1024, 4 * MIB]) {
      const readers = await Promise.all(Array.from({ length: 5 }, open));
      await Promise.all(readers.map((reader) => read(reader, bytesFirst)));
      for (const reader of readers) reader.destroy();
    }
    await opened(0);
    expect((await caller.call('GET', '/key')).status).toBe(200);
  });
});

/** Takes so many bytes, and leaves the rest where they are. */
async function read(reader: IncomingMessage, bytes: number): Promise<void> {
  let received = 0;
  while (received < bytes) {
    const chunk = reader.read() as Buffer | null;
    if (chunk === null) await new Promise((resolve) => reader.once('readable', resolve));
    else received += chunk.length;
  }
}
