import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SCHEDULES } from '../../domain/runs.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { createUrlSigner, type UrlSigner } from '../../services/videos/url-signer.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, getJob, inStatus, submit, type WireJob } from '../support/jobs.ts';

const NOT_READY = {
  code: 409,
  message: 'Resource conflict. Please try again later.',
  metadata: { reason: 'job_not_completed', retryable: true },
};
const NOT_FOUND = {
  code: 404,
  message: 'Resource not found',
  metadata: { reason: 'not_found', retryable: false },
};
const GONE = {
  code: 410,
  message: 'Resource is no longer available',
  metadata: { reason: 'gone', retryable: false },
};
const withFault = (kind: string) => ({ provider: { options: { local: { faults: [{ kind }] } } } });
const nowSeconds = () => Math.floor(Date.now() / 1_000);

let gateway: Gateway;
let caller: Caller;
let nobody: Caller;
let signer: UrlSigner;
let job: WireJob;
let bytes: Buffer;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['maintenance', 'video'] });
  caller = createCaller(gateway.origin, gateway.apiKey);
  nobody = createCaller(gateway.origin);
  signer = createUrlSigner(createEncryption(gateway.config.encryption).deriveKey('signed URLs'));
  job = await completedJob();
  bytes = Buffer.from(await (await caller.call('GET', `/videos/${job.id}/content`)).arrayBuffer());
});

afterAll(async () => {
  await gateway.close();
});

async function completedJob(): Promise<WireJob> {
  return ended(caller, (await submit(caller)).id);
}

function signed(jobId: string, until = nowSeconds() + 60, index = 0): string {
  const target = `/api/v1/videos/${jobId}/outputs/${index}`;
  return `${target}?${signer.sign(target, until)}`;
}

/** The statuses of all four ways to a job's first output. */
async function statusesOf(jobId: string): Promise<number[]> {
  const responses = [
    await caller.call('GET', `/videos/${jobId}/content`),
    await caller.call('HEAD', `/videos/${jobId}/content`),
    await nobody.call('GET', signed(jobId)),
    await nobody.call('HEAD', signed(jobId)),
  ];
  await Promise.all(responses.map((response) => response.arrayBuffer()));
  return responses.map(({ status }) => status);
}

describe('the content of a job', () => {
  test('answers 409 until the job has completed', async () => {
    const { id } = await submit(caller, withFault('stall'));
    expect(await errorOf(await caller.call('GET', `/videos/${id}/content`))).toEqual(NOT_READY);
    await inStatus(caller, id, 'in_progress');
    expect(await errorOf(await caller.call('GET', `/videos/${id}/content`))).toEqual(NOT_READY);
    expect(await errorOf(await nobody.call('GET', signed(id)))).toEqual(NOT_READY);
    expect(await statusesOf(id)).toEqual([409, 409, 409, 409]);
  });

  test.each(['fail', 'cancel', 'expire'])('answers 404 for a job that the provider let %s', async (kind) => {
    const { id } = await ended(caller, (await submit(caller, withFault(kind))).id);
    expect(await errorOf(await caller.call('GET', `/videos/${id}/content`))).toEqual(NOT_FOUND);
    expect(await statusesOf(id)).toEqual([404, 404, 404, 404]);
  });

  test('answers 404 for an index that the job does not have', async () => {
    for (const index of ['1', '9007199254740991']) {
      const response = await caller.call('GET', `/videos/${job.id}/content?index=${index}`);
      expect(await errorOf(response)).toEqual(NOT_FOUND);
    }
  });

  test.each(['-1', '1.5', 'x', '', '0&index=0', '99999999999999999999', '%00'])(
    'answers 400 for the index %j',
    async (index) => {
      const response = await caller.call('GET', `/videos/${job.id}/content?index=${index}`);
      expect(await errorOf(response)).toMatchObject({
        code: 400,
        metadata: { issues: [{ path: 'query.index' }] },
      });
    },
  );

  test.each<[name: string, headers: Record<string, string>, start: number, end: number]>([
    ['a middle part', { range: 'bytes=4-7' }, 4, 8],
    ['everything from a position', { range: 'bytes=100-' }, 100, Infinity],
    ['the last bytes', { range: 'bytes=-16' }, -16, Infinity],
    ['more than there is', { range: 'bytes=8-999999999' }, 8, Infinity],
    ['more last bytes than there are', { range: 'bytes=-999999999' }, 0, Infinity],
  ])('answers 206 with %s', async (_name, headers, start, end) => {
    const response = await caller.call('GET', `/videos/${job.id}/content`, { headers });
    const part = Buffer.from(await response.arrayBuffer());
    const expected = bytes.subarray(start, Math.min(end, bytes.length));
    const first = start < 0 ? bytes.length + start : start;
    expect(response.status).toBe(206);
    expect(part.equals(expected)).toBe(true);
    expect(response.headers.get('content-length')).toBe(`${expected.length}`);
    expect(response.headers.get('content-range')).toBe(
      `bytes ${first}-${first + expected.length - 1}/${bytes.length}`,
    );
  });

  test('answers 206 only if If-Range is the current ETag', async () => {
    const head = await caller.call('HEAD', `/videos/${job.id}/content`);
    const etag = head.headers.get('etag')!;
    const rangeIf = (ifRange: string) =>
      caller.call('GET', `/videos/${job.id}/content`, {
        headers: { range: 'bytes=0-3', 'if-range': ifRange },
      });
    expect((await rangeIf(etag)).status).toBe(206);
    for (const other of ['"other"', `W/${etag}`, 'Wed, 21 Oct 2026 07:28:00 GMT']) {
      const whole = await rangeIf(other);
      expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
    }
  });

  test('answers 304 to a client that has the ETag', async () => {
    const etag = (await caller.call('HEAD', `/videos/${job.id}/content`)).headers.get('etag')!;
    const headers = { 'if-none-match': `"other", W/${etag}` };
    for (const method of ['GET', 'HEAD']) {
      const response = await caller.call(method, `/videos/${job.id}/content`, { headers });
      expect([response.status, await response.text()]).toEqual([304, '']);
    }
  });
});

describe('a signed URL', () => {
  test('serves the output without a key, as the job returned it', async () => {
    const { pathname, search } = new URL(job.urls![0]!);
    const response = await nobody.call('GET', pathname + search);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('answers like one of an unknown job once it is altered', async () => {
    const url = signed(job.id);
    const [target, query] = url.split('?') as [string, string];
    const params = new URLSearchParams(query);
    const [expires, signature] = [params.get('expires')!, params.get('signature')!];
    const unknown = await visibleParts(
      await nobody.call('GET', signed(job.id).replace(job.id, job.id.replace(/.$/, '_'))),
    );
    expect(unknown.status).toBe(404);
    const altered = [
      `${target.replace(/0$/, '1')}?${query}`,
      `${target}?expires=${Number(expires) + 3_600}&signature=${signature}`,
      `${target}?expires=0${expires}&signature=${signature}`,
      `${target}?expires=1e12&signature=${signature}`,
      `${target}?expires=${expires}&signature=${signature.toUpperCase()}`,
      `${target}?expires=${expires}&signature=${signature}%3D`,
      `${target}?expires=${expires}&signature=${signature.slice(0, -1)}`,
      `${target}?expires=${expires}&signature=`,
      `${target}?expires=&signature=${signature}`,
    ];
    for (const link of altered) expect(await visibleParts(await nobody.call('GET', link))).toEqual(unknown);
    expect((await nobody.call('GET', url)).status).toBe(200);
  });

  test('answers 400 if a part is missing or given twice', async () => {
    const [target, query] = signed(job.id).split('?') as [string, string];
    for (const link of [target, `${target}?expires=${nowSeconds()}`, `${target}?${query}&${query}`]) {
      expect((await errorOf(await nobody.call('GET', link))).code).toBe(400);
    }
  });

  test('answers 410 after its expiry', async () => {
    expect(await errorOf(await nobody.call('GET', signed(job.id, nowSeconds() - 1)))).toEqual(GONE);
    expect((await nobody.call('HEAD', signed(job.id, 0))).status).toBe(410);
  });

  test('expires with the output at the latest', async () => {
    const { id } = await completedJob();
    await gateway.database.query(
      `update video_jobs set outputs_expire_at = now() + interval '5 minutes' where id = $1`,
      [id],
    );
    const { urls, expires_at } = await getJob(caller, id);
    expect(Number(new URL(urls![0]!).searchParams.get('expires'))).toBe(expires_at);
  });
});

describe('an output that is expired or lost', () => {
  test('answers 410 while its job stays completed without links', async () => {
    const { id, ...before } = await completedJob();
    await gateway.database.query(
      `update video_jobs set outputs_expire_at = now() - interval '1 second' where id = $1`,
      [id],
    );
    const { urls: _u, unsigned_urls: _n, urls_expire_at: _t, expires_at: _e, ...lasting } = before;
    expect(await getJob(caller, id)).toEqual({ id, ...lasting });
    expect(await errorOf(await caller.call('GET', `/videos/${id}/content`))).toEqual(GONE);
    expect(await statusesOf(id)).toEqual([410, 410, 410, 410]);
    expect(await errorOf(await caller.call('GET', `/videos/${id}/content?index=5`))).toEqual(GONE);
  });

  test('loses its file by the scheduled removal, and still answers 410', async () => {
    const { id, ...before } = await completedJob();
    const kept = await completedJob();
    await gateway.database.query(`update video_jobs set outputs_expire_at = now() where id = $1`, [id]);
    await gateway.temporal.schedule.getHandle(SCHEDULES.expireOutputs).trigger();
    await eventually('the file being deleted', async () =>
      (await filesOf(id)).length === 0 ? true : undefined,
    );
    expect(await statusesOf(id)).toEqual([410, 410, 410, 410]);
    expect(await getJob(caller, id)).toMatchObject({ status: 'completed', usage: before.usage });
    expect(await filesOf(kept.id)).toHaveLength(1);
    expect(await statusesOf(kept.id)).toEqual([200, 200, 200, 200]);
  });

  test('answers 410 output_missing if its file was lost', async () => {
    const { id } = await completedJob();
    await rm(folderOf(id), { recursive: true });
    const lost = { ...GONE, metadata: { ...GONE.metadata, reason: 'output_missing' } };
    expect(await errorOf(await caller.call('GET', `/videos/${id}/content`))).toEqual(lost);
  });
});

function folderOf(jobId: string): string {
  return path.join(gateway.objectsFolder, 'videos', gateway.workspaceId, jobId);
}

async function filesOf(jobId: string): Promise<string[]> {
  return readdir(folderOf(jobId)).catch(() => []);
}
