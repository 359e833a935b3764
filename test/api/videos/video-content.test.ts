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

describe('an output', () => {
  test('comes whole, with what a player needs to know', async () => {
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

  test('is described by HEAD without being opened', async () => {
    const before = opened.length;
    const answer = await content({ range: 'bytes=0-9' }, 0, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe(String(file.length));
    expect(answer.headers.get('content-type')).toBe('video/mp4');
    expect(await answer.text()).toBe('');
    expect(opened).toHaveLength(before);
  });

  test('comes in part', async () => {
    const answer = await content({ range: 'bytes=1000-1999' });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes 1000-1999/${file.length}`);
    expect(answer.headers.get('content-length')).toBe('1000');
    expect(digest(await answer.arrayBuffer())).toBe(digest(file.subarray(1000, 2000)));
  });

  test('comes whole when several parts are asked for', async () => {
    const answer = await content({ range: 'bytes=0-1,5-6' });
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });

  test('has no part beyond its end', async () => {
    const answer = await content({ range: `bytes=${file.length}-` });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe(`bytes */${file.length}`);
    expect(await answer.json()).toMatchObject({ error: { code: 416, message: 'Range not satisfiable' } });
  });

  test('comes in part only if the client still has the same one', async () => {
    const same = await content({ range: 'bytes=0-0', 'if-range': ETAG });
    expect(same.status).toBe(206);
    await same.arrayBuffer();
    for (const other of ['"other"', `W/${ETAG}`, new Date().toUTCString()]) {
      const answer = await content({ range: 'bytes=0-0', 'if-range': other });
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    }
  });

  test.each([ETAG, `"a", W/${ETAG}`, '*'])('is not sent to a client that has it: %s', async (ifNoneMatch) => {
    // Past the end, to show that the condition is looked at before the range.
    const answer = await content({ 'if-none-match': ifNoneMatch, range: 'bytes=999999999-' });
    expect(answer.status).toBe(304);
    expect(answer.headers.get('etag')).toBe(ETAG);
  });

  test('that is no video is offered as an opaque file', async () => {
    const answer = await content({}, 1);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${JOB_ID}-1.bin"`);
    await answer.arrayBuffer();
  });

  test('whose object is lost is gone', async () => {
    expect((await content({}, 2)).status).toBe(410);
  });
});

describe('a transfer that breaks', () => {
  test('because the client left: the file is closed, the server lives, the log says 499', async () => {
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

  test('because the client left before it began: the stream is given up, and may complain', async () => {
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

  test('because the client left while the store is silent: the stream is given up', async () => {
    const leaving = new AbortController();
    const before = opened.length;
    const answer = content({}, 5, { signal: leaving.signal });
    const body = await eventually('the stream', async () => opened[before]);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    if (!body.destroyed) await new Promise((resolve) => body.once('close', resolve));
  });

  test('because the disk failed: the client is cut off, and the log says why', async () => {
    await expect(content({}, 3).then((answer) => answer.text())).rejects.toThrow();
    const line = await api.logged({ msg: 'response was cut short', level: 'error' });
    expect(JSON.stringify(line)).toContain('EIO');
  });
});

describe('a signed URL', () => {
  const path = `/api/v1/videos/${JOB_ID}/outputs/0`;
  const signed = (untilSeconds: number): string => `${api.origin}${path}?${signer.sign(path, untilSeconds)}`;
  const later = (): number => Math.floor(Date.now() / 1000) + 60;

  test('opens the output without a key, parts and HEAD included', async () => {
    const part = await fetch(signed(later()), { headers: { range: 'bytes=-10' } });
    expect(part.status).toBe(206);
    expect(digest(await part.arrayBuffer())).toBe(digest(file.subarray(-10)));
    expect((await fetch(signed(later()), { method: 'HEAD' })).status).toBe(200);
  });

  test('that was altered leads nowhere, like an unknown one', async () => {
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

  test('that has expired is gone', async () => {
    expect((await fetch(signed(Math.floor(Date.now() / 1000) - 1))).status).toBe(410);
  });

  test('without its signature is a bad request', async () => {
    expect((await fetch(api.origin + path)).status).toBe(400);
  });
});
