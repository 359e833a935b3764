import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { VideoJob } from '../../../domain/videos/video-job.ts';
import { createFileObjectStore } from '../../../platform/file-object-store.ts';
import type { ObjectStore } from '../../../platform/object-store.ts';
import { openOutput } from '../../../services/videos/open-output.ts';
import { createUrlSigner } from '../../../services/videos/url-signer.ts';
import { eventually } from '../../support/eventually.ts';
import { openRaw, type RawConnection } from '../support/raw-request.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

const JOB_ID = 'gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0';
/** Far more than socket buffers hold, so that a stalled reader makes the server wait. */
const file = randomBytes(24 * 1024 * 1024);
const signer = createUrlSigner([randomBytes(32)]);
const job = {
  id: JOB_ID,
  status: 'completed',
  outputsExpireAt: new Date(Date.now() + 3_600_000),
  outputs: [{ index: 0, objectKey: 'video', contentType: 'video/mp4', bytes: file.length }],
} as VideoJob;

let directory: string;
let api: ServedApi;
const opened: Readable[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-stalled-'));
  const store = await createFileObjectStore(directory);
  await store.put('video', Readable.from([file]), { contentType: 'video/mp4' });
  const watched: ObjectStore = {
    ...store,
    async open(key, range) {
      const object = await store.open(key, range);
      if (object !== null) opened.push(object.body);
      return object;
    },
  };
  api = await serveApi({
    urlSigner: signer,
    videos: {
      openContent: (_caller, _jobId, index, range) => openOutput(watched, job, index, range),
    },
  });
});
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true });
});

const OUTPUT_PATH = `/api/v1/videos/${JOB_ID}/outputs/0`;
const signedPath = (): string =>
  `${OUTPUT_PATH}?${signer.sign(OUTPUT_PATH, Math.floor(Date.now() / 1000) + 60)}`;

describe('a stalled download', () => {
  const downloads: [string, () => string][] = [
    ['with a key', () => `/api/v1/videos/${JOB_ID}/content HTTP/1.1\r\nX-Api-Key: regular-key`],
    ['of a signed URL', () => `${signedPath()} HTTP/1.1`],
    ['of a signed URL from its middle', () => `${signedPath()} HTTP/1.1\r\nRange: bytes=99-`],
  ];

  /** Fakes the interval by which the API looks at its readers, and no other timer. */
  function holdLooks(): void {
    const immediates = ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] as const;
    const timers = ['setTimeout', 'clearTimeout', 'Date', 'hrtime', 'performance'] as const;
    jest.useFakeTimers({ doNotFake: [...immediates, ...timers] });
  }
  afterEach(() => void jest.useRealTimers());

  /** Reads the head of a download and no more; resolves when the buffers between are full. */
  async function stall(request: string): Promise<{ raw: RawConnection; body: Readable }> {
    const raw = openRaw(api.port);
    raw.socket.write(`GET ${request}\r\nHost: gateway\r\n\r\n`);
    await raw.until('HTTP/1.1 20');
    raw.socket.pause();
    const body = opened.at(-1) as Readable & { bytesRead: number };
    let before = -1;
    await eventually('full buffers', async () => {
      const isFull = body.bytesRead === before;
      before = body.bytesRead;
      return isFull ? true : undefined;
    });
    expect(body.bytesRead).toBeLessThan(file.length);
    return { raw, body };
  }

  test.each(downloads)('ends after five minutes, and its file is closed: %s', async (_which, request) => {
    holdLooks();
    const { raw, body } = await stall(request());
    const closed = new Promise((resolve) => body.once('close', resolve));
    jest.advanceTimersByTime(300_000);
    await closed;
    raw.socket.resume();
    expect((await raw.closed).length).toBeLessThan(file.length);
  });

  test('receives the rest when it resumes within five minutes', async () => {
    holdLooks();
    const { raw, body } = await stall(`${signedPath()} HTTP/1.1\r\nConnection: close`);
    jest.advanceTimersByTime(299_999);
    raw.socket.resume();
    expect((await raw.closed).length).toBeGreaterThan(file.length);
    expect(body.errored).toBeNull();
  });
});
