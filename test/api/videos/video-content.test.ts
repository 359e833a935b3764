import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { VideoJob } from '../../../domain/videos/video-job.ts';
import { createFileObjectStore } from '../../../platform/file-object-store.ts';
import type { ObjectStore } from '../../../platform/object-store.ts';
import { openOutput } from '../../../services/videos/open-output.ts';
import { createUrlSigner } from '../../../services/videos/url-signer.ts';
import { eventually } from '../../support/eventually.ts';
import { asRegular } from '../support/fake-services.ts';
import { openRaw } from '../support/raw-request.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

const JOB_ID = 'gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0';
const ETAG = `"${JOB_ID}-0"`;
/** Far more than socket buffers hold, so that a slow reader really makes the server wait. */
const file = randomBytes(24 * 1024 * 1024);
const signer = createUrlSigner([randomBytes(32)]);
const job = {
  id: JOB_ID,
  status: 'completed',
  outputsExpireAt: new Date(Date.now() + 3_600_000),
  outputs: [
    { index: 0, objectKey: 'video', contentType: 'video/mp4', bytes: file.length },
    { index: 1, objectKey: 'page', contentType: 'text/html', bytes: 25 },
    { index: 2, objectKey: 'lost', contentType: 'video/mp4', bytes: 10 },
    { index: 3, objectKey: 'broken', contentType: 'video/mp4', bytes: 10 },
    { index: 4, objectKey: 'slow', contentType: 'video/mp4', bytes: 10 },
    { index: 5, objectKey: 'stuck', contentType: 'video/mp4', bytes: 10 },
  ],
} as VideoJob;

let directory: string;
let api: ServedApi;
const opened: Readable[] = [];

const slowOpening = {
  entered: Promise.withResolvers<void>(),
  release: Promise.withResolvers<void>(),
  givenUp: Promise.withResolvers<void>(),
};

/** The store itself, but for keeping hold of what it hands out, and objects that misbehave. */
function watched(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async open(key, range) {
      const object = (await misbehaving(key)) ?? (await store.open(key, range));
      if (object !== null) opened.push(object.body);
      return object;
    },
  };
}

async function misbehaving(key: string): Promise<{ body: Readable; bytes: number } | undefined> {
  if (key === 'broken') return { body: failing(), bytes: 10 };
  if (key === 'stuck') return { body: new Readable({ read() {} }), bytes: 10 };
  if (key !== 'slow') return undefined;
  slowOpening.entered.resolve();
  await slowOpening.release.promise;
  return { body: complaining(), bytes: 10 };
}

/** A disk that fails half-way. */
function failing(): Readable {
  return new Readable({
    read() {
      this.push('half');
      this.destroy(new Error('EIO: the disk failed'));
    },
  });
}

/** A stream that reports being given up as an error, as those of HTTP clients do. */
function complaining(): Readable {
  return new Readable({
    read() {},
    destroy(_error, callback) {
      callback(new Error('aborted'));
    },
  }).once('close', slowOpening.givenUp.resolve);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-content-'));
  const store = await createFileObjectStore(directory);
  await store.put('video', Readable.from([file]), { contentType: 'video/mp4' });
  await store.put('page', Readable.from([Buffer.from('<script>alert(1)</script>')]), {
    contentType: 'text/html',
  });
  api = await serveApi({
    urlSigner: signer,
    videos: {
      openContent: (_caller, _jobId, index, range) => openOutput(watched(store), job, index, range),
    },
  });
});
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true });
});

function content(
  headers: Record<string, string> = {},
  index = 0,
  init: Pick<RequestInit, 'method' | 'signal'> = {},
): Promise<Response> {
  const url = `${api.origin}/api/v1/videos/${JOB_ID}/content?index=${index}`;
  return fetch(url, { ...init, headers: { ...asRegular, ...headers } });
}

const digest = (bytes: ArrayBuffer | Buffer): string =>
  createHash('sha256').update(new Uint8Array(bytes)).digest('hex');

describe('a video output', () => {
  test('arrives whole with the headers that a player needs', async () => {
    const answer = await content();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(file.length),
      'content-disposition': `inline; filename="${JOB_ID}-0.mp4"`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      etag: ETAG,
    });
    expect(digest(await answer.arrayBuffer())).toBe(digest(file));
  });

  test('answers HEAD with its length without being opened', async () => {
    const before = opened.length;
    const answer = await content({ range: 'bytes=0-9' }, 0, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe(String(file.length));
    expect(answer.headers.get('content-type')).toBe('video/mp4');
    expect(await answer.text()).toBe('');
    expect(opened).toHaveLength(before);
  });

  test('answers 206 with the bytes of a range', async () => {
    const answer = await content({ range: 'bytes=1000-1999' });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes 1000-1999/${file.length}`);
    expect(answer.headers.get('content-length')).toBe('1000');
    expect(digest(await answer.arrayBuffer())).toBe(digest(file.subarray(1000, 2000)));
  });

  test('answers 200 with the whole file to several ranges', async () => {
    const answer = await content({ range: 'bytes=0-1,5-6' });
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });

  test('answers 416 to a range beyond its end', async () => {
    const answer = await content({ range: `bytes=${file.length}-` });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe(`bytes */${file.length}`);
    expect(await answer.json()).toMatchObject({ error: { code: 416, message: 'Range not satisfiable' } });
  });

  test('answers 206 to If-Range only with its current ETag', async () => {
    const same = await content({ range: 'bytes=0-0', 'if-range': ETAG });
    expect(same.status).toBe(206);
    await same.arrayBuffer();
    for (const other of ['"other"', `W/${ETAG}`, new Date().toUTCString()]) {
      const answer = await content({ range: 'bytes=0-0', 'if-range': other });
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    }
  });

  test.each([ETAG, `"a", W/${ETAG}`, '*'])('answers 304 to If-None-Match: %s', async (ifNoneMatch) => {
    // Past the end, to show that the condition is looked at before the range.
    const answer = await content({ 'if-none-match': ifNoneMatch, range: 'bytes=999999999-' });
    expect(answer.status).toBe(304);
    expect(answer.headers.get('etag')).toBe(ETAG);
  });

  test('downloads as an opaque attachment when it is no video', async () => {
    const answer = await content({}, 1);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${JOB_ID}-1.bin"`);
    await answer.arrayBuffer();
  });

  test('answers 410 when its object is lost', async () => {
    expect((await content({}, 2)).status).toBe(410);
  });
});

describe('an interrupted download', () => {
  test('closes the file and logs 499 when the client leaves', async () => {
    const raw = openRaw(api.port);
    raw.socket.write(
      `GET /api/v1/videos/${JOB_ID}/content HTTP/1.1\r\nHost: gateway\r\nX-Api-Key: regular-key\r\nX-Request-Id: left\r\n\r\n`,
    );
    await raw.until('HTTP/1.1 200');
    const body = opened.at(-1) as Readable;
    const closed = new Promise((resolve) => body.once('close', resolve));
    raw.socket.resetAndDestroy();
    await closed;
    expect(await api.logged({ msg: 'request', requestId: 'left' })).toMatchObject({ status: 499 });
  });

  test('discards the stream when the client left before the store opened it', async () => {
    const leaving = new AbortController();
    const answer = content({ 'x-request-id': 'left-early' }, 4, { signal: leaving.signal });
    await slowOpening.entered.promise;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await api.logged({ msg: 'request', requestId: 'left-early' });
    slowOpening.release.resolve();
    await slowOpening.givenUp.promise;
    const body = opened.at(-1);
    expect(body?.errored?.message).toBe('aborted');
    expect((await content({ range: 'bytes=0-0' })).status).toBe(206);
  });

  test('discards the stream when the client leaves a silent store', async () => {
    const leaving = new AbortController();
    const before = opened.length;
    const answer = content({}, 5, { signal: leaving.signal });
    const body = await eventually('the stream', async () => opened[before]);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    if (!body.destroyed) await new Promise((resolve) => body.once('close', resolve));
  });

  test('closes the connection and logs the error when the disk fails', async () => {
    await expect(content({}, 3).then((answer) => answer.text())).rejects.toThrow();
    const line = await api.logged({ msg: 'response was cut short', level: 'error' });
    expect(JSON.stringify(line)).toContain('EIO');
  });
});

describe('a signed URL', () => {
  const path = `/api/v1/videos/${JOB_ID}/outputs/0`;
  const signed = (untilSeconds: number): string => `${api.origin}${path}?${signer.sign(path, untilSeconds)}`;
  const later = (): number => Math.floor(Date.now() / 1000) + 60;

  test('opens the output without a key, with ranges and HEAD', async () => {
    const part = await fetch(signed(later()), { headers: { range: 'bytes=-10' } });
    expect(part.status).toBe(206);
    expect(digest(await part.arrayBuffer())).toBe(digest(file.subarray(-10)));
    expect((await fetch(signed(later()), { method: 'HEAD' })).status).toBe(200);
  });

  test('answers 404 after its path, expiry or signature was altered', async () => {
    const url = signed(later());
    const altered = [
      url.replace('/outputs/0', '/outputs/1'),
      url.replace(/expires=\d/, 'expires=9'),
      `${url}A`,
    ];
    for (const address of altered) {
      const answer = await fetch(address);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { message: 'Resource not found' } });
    }
  });

  test('answers 410 after its expiry', async () => {
    expect((await fetch(signed(Math.floor(Date.now() / 1000) - 1))).status).toBe(410);
  });

  test('answers 400 without its signature', async () => {
    expect((await fetch(api.origin + path)).status).toBe(400);
  });
});
