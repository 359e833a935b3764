import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { JobEvent } from '../../../domain/videos/job-event.ts';
import type { VideoJob } from '../../../domain/videos/video-job.ts';
import type { VideoService } from '../../../services/videos/video-service.ts';
import { asManagement, asRegular } from '../support/fake-services.ts';
import { GENERATION_ID, JOB_ID, JOB_PATH, pendingVideo, videoOutput } from '../support/sample-video.ts';
import { PUBLIC_URL, serveApi, type ServedApi } from '../support/serve-api.ts';

let pages: Parameters<VideoService['list']>[1][] = [];
let waits: number[] = [];
let job: VideoJob = pendingVideo;
let jobAfterWait: VideoJob = pendingVideo;
let events: JobEvent[] = [];
let api: ServedApi;

beforeAll(async () => {
  api = await serveApi({
    videos: {
      get: async () => job,
      waitForChange: async (_principal, _jobId, { waitMs }) => {
        waits.push(waitMs);
        return jobAfterWait;
      },
      timeline: async () => events,
      cancel: async () => ({ ...job, status: 'cancelled', error: 'The job was cancelled' }),
      list: async (_principal, page) => {
        pages.push(page);
        return { jobs: [job], totalCount: 12 };
      },
    },
    urlSigner: { sign: (path, expires) => `path=${path}&expires=${expires}`, verify: () => 'bad' },
  });
});
afterAll(() => api.close());
beforeEach(() => {
  pages = [];
  waits = [];
  job = pendingVideo;
});

/** What every job shows of `pendingVideo`. */
const shownAlways = {
  id: JOB_ID,
  polling_url: JOB_PATH,
  model: 'local/sketch',
  created_at: '1970-01-01T00:00:00.000Z',
  started_at: null,
  progress: null,
  waiting: null,
  deadline_at: '1970-01-02T00:00:00.000Z',
  cancel_requested_at: null,
  webhook: null,
};

const NO_ANSWER = { lastStatus: null, lastOutcome: null, lastReason: null };
const FAILED = { lastStatus: 503, lastOutcome: 'failed', lastReason: 'why' } as const;
const NO_ANSWER_SHOWN = { last_status: null, last_outcome: null, last_reason: null };
const FAILED_SHOWN = { last_status: 503, last_outcome: 'failed', last_reason: 'why' };
const REFUSED = { type: 'refused', count: 3, provider: 'local', reason: 'overloaded' } as const;

function ask(query = ''): Promise<Response> {
  return fetch(api.origin + JOB_PATH + query, { headers: asRegular });
}

async function show(): Promise<Record<string, unknown>> {
  const answer = await ask();
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

describe('a video job', () => {
  test('shows only its basic fields while it is pending', async () => {
    expect(await show()).toEqual({ ...shownAlways, status: 'pending' });
  });

  test('shows its start, progress, deadline and requested cancel while it is in progress', async () => {
    job = {
      ...pendingVideo,
      status: 'in_progress',
      submittedAt: new Date(1_000),
      progressPercent: 0,
      deadlineAt: new Date(3_601_000),
      cancelRequestedAt: new Date(2_000),
      webhook: { state: 'pending', attempts: 0, ...NO_ANSWER },
    };
    expect(await show()).toEqual({
      ...shownAlways,
      status: 'in_progress',
      started_at: '1970-01-01T00:00:01.000Z',
      progress: 0,
      deadline_at: '1970-01-01T01:00:01.000Z',
      cancel_requested_at: '1970-01-01T00:00:02.000Z',
      webhook: { state: 'pending', attempts: 0, ...NO_ANSWER_SHOWN },
    });
  });

  test('shows the state, attempts and last result of its webhook', async () => {
    job = {
      ...pendingVideo,
      status: 'expired',
      progressPercent: 40,
      webhook: { state: 'exhausted', attempts: 10, ...FAILED },
    };
    expect(await show()).toMatchObject({
      progress: 40,
      webhook: { state: 'exhausted', attempts: 10, ...FAILED_SHOWN },
    });
  });

  test.each([
    ['that was just accepted', { createdAt: 0 }, '2'],
    ['that has waited for 52 seconds', { createdAt: 52_000 }, '6'],
    ['that was just submitted', { createdAt: 600_000, submittedAt: 0 }, '2'],
    ['that runs for an hour', { createdAt: 3_600_000, submittedAt: 3_600_000 }, '30'],
  ])(
    '%s has a Retry-After that grows with its age',
    async (_what, ages: { createdAt: number; submittedAt?: number }, seconds) => {
      const ago = (ms: number): Date => new Date(Date.now() - ms);
      job = {
        ...pendingVideo,
        createdAt: ago(ages.createdAt),
        ...(ages.submittedAt === undefined
          ? {}
          : { status: 'in_progress', submittedAt: ago(ages.submittedAt) }),
      };
      expect((await ask()).headers.get('retry-after')).toBe(seconds);
    },
  );

  test('omits Retry-After once it has ended', async () => {
    job = { ...pendingVideo, status: 'cancelled' };
    expect((await ask()).headers.has('retry-after')).toBe(false);
  });

  test('keeps the response waiting only with ?wait of 1 to 25', async () => {
    jobAfterWait = { ...pendingVideo, status: 'in_progress', createdAt: new Date() };
    for (const query of ['', '?wait=0']) {
      expect(await (await ask(query)).json()).toMatchObject({ status: 'pending' });
    }
    expect(waits).toEqual([]);
    const answers = await Promise.all(['?wait=1', '?wait=25'].map(ask));
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([200, '2']);
      expect(await answer.json()).toMatchObject({ status: 'in_progress' });
    }
    expect(waits.toSorted((a, b) => a - b)).toEqual([1_000, 25_000]);
  });

  test.each(['-1', '26', '1.5', 'long', '', '5&wait=5'])('answers 400 to ?wait=%s', async (wait) => {
    const answer = await ask(`?wait=${wait}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { metadata: { issues: [{ path: 'query.wait', message: expect.stringMatching(/^must be/) }] } },
    });
    expect(waits).toEqual([]);
  });

  test('shows its events in GET /timeline', async () => {
    const at = (seconds: number): Date => new Date(seconds * 1_000);
    events = [
      { type: 'accepted', at: at(0) },
      { ...REFUSED, at: at(0), lastAt: at(1) },
      { type: 'submitted', at: at(1), provider: 'local' },
      { type: 'stored', at: at(2), index: 0 },
      { type: 'settled', at: at(3), status: 'completed' },
      { type: 'webhook_attempt', at: at(4), replay: 0, attempt: 1, outcome: 'failed', statusCode: 503 },
    ];
    const answer = await fetch(`${api.origin}${JOB_PATH}/timeline`, { headers: asRegular });
    expect(await answer.json()).toEqual({
      data: [
        { type: 'accepted', at: '1970-01-01T00:00:00.000Z' },
        { ...REFUSED, at: '1970-01-01T00:00:00.000Z', last_at: '1970-01-01T00:00:01.000Z' },
        { type: 'submitted', at: '1970-01-01T00:00:01.000Z', provider: 'local' },
        { type: 'stored', at: '1970-01-01T00:00:02.000Z', index: 0 },
        { type: 'settled', at: '1970-01-01T00:00:03.000Z', status: 'completed' },
        {
          type: 'webhook_attempt',
          at: '1970-01-01T00:00:04.000Z',
          replay: 0,
          attempt: 1,
          outcome: 'failed',
          status_code: 503,
        },
      ],
    });
  });

  test('shows its generation id and its error when it failed', async () => {
    job = { ...pendingVideo, status: 'failed', error: 'The provider refused the request' };
    expect(await show()).toEqual({
      ...shownAlways,
      status: 'failed',
      generation_id: GENERATION_ID,
      error: 'The provider refused the request',
    });
  });

  test('shows its output URLs with their expiry when it completed', async () => {
    const expiresAtMs = Date.now() + 7 * 86_400_000;
    job = {
      ...pendingVideo,
      status: 'completed',
      costNanos: 120_000_000n,
      outputs: [videoOutput],
      outputsExpireAt: new Date(expiresAtMs),
    };
    const { urls, urls_expire_at: urlsExpireAt, ...shown } = await show();
    expect(shown).toEqual({
      ...shownAlways,
      status: 'completed',
      progress: 100,
      generation_id: GENERATION_ID,
      unsigned_urls: [`${PUBLIC_URL}${JOB_PATH}/content?index=0`],
      expires_at: Math.floor(expiresAtMs / 1000),
      usage: { cost: 0.12, is_byok: false },
    });
    const url = new URL((urls as string[])[0] ?? '');
    expect(url.origin + url.pathname).toBe(`${PUBLIC_URL}${JOB_PATH}/outputs/0`);
    expect(url.searchParams.get('path')).toBe(`${JOB_PATH}/outputs/0`);
    expect(urlsExpireAt).toBe(Number(url.searchParams.get('expires')));
    const signedForSeconds = Number(url.searchParams.get('expires')) - Date.now() / 1000;
    expect(signedForSeconds).toBeGreaterThan(3500);
    expect(signedForSeconds).toBeLessThanOrEqual(3600);
  });

  test.each([
    [undefined, {}],
    [40_000_000n, { usage: { cost: 0.04, is_byok: false } }],
  ])('shows its cost, if any, when it was cancelled: %s', async (costNanos, usage) => {
    const error = 'The job was cancelled';
    job = { ...pendingVideo, status: 'cancelled', error, ...(costNanos !== undefined && { costNanos }) };
    expect(await show()).toEqual({
      ...shownAlways,
      status: 'cancelled',
      generation_id: GENERATION_ID,
      error,
      ...usage,
    });
  });

  test('limits a signed URL to the expiry of its outputs', async () => {
    const soon = Math.floor(Date.now() / 1000) + 60;
    job = {
      ...pendingVideo,
      status: 'completed',
      outputs: [videoOutput],
      outputsExpireAt: new Date(soon * 1000),
    };
    const url = new URL(((await show())['urls'] as string[])[0] ?? '');
    expect(url.searchParams.get('expires')).toBe(String(soon));
  });

  test('stays completed without URLs when its outputs have expired', async () => {
    job = {
      ...pendingVideo,
      status: 'completed',
      outputs: [videoOutput],
      outputsExpireAt: new Date(1),
      costNanos: 0n,
    };
    expect(await show()).toEqual({
      ...shownAlways,
      status: 'completed',
      progress: 100,
      generation_id: GENERATION_ID,
      usage: { cost: 0, is_byok: false },
    });
  });

  test('accepts a cancel with a regular key and with a management key', async () => {
    for (const headers of [asRegular, asManagement]) {
      const answer = await fetch(`${api.origin}${JOB_PATH}/cancel`, { method: 'POST', headers });
      expect(await answer.json()).toMatchObject({ id: JOB_ID, status: 'cancelled' });
    }
  });

  test('appears in GET /videos with 50 per page or the requested limit', async () => {
    const list = (query: string): Promise<Response> =>
      fetch(`${api.origin}/api/v1/videos${query}`, { headers: asRegular });
    expect(await (await list('')).json()).toEqual({
      data: [{ ...shownAlways, status: 'pending' }],
      total_count: 12,
    });
    await list('?limit=100&offset=7&status=failed&unknown=1');
    await list('?model=a/b&created_after=2026-01-01T00:00:00Z&created_before=2026-01-02T00:00:00.0001Z');
    expect(pages).toEqual([
      { limit: 50, offset: 0 },
      { limit: 100, offset: 7, status: 'failed' },
      {
        limit: 50,
        offset: 0,
        model: 'a/b',
        createdAfter: new Date('2026-01-01T00:00:00.000Z'),
        createdBefore: new Date('2026-01-02T00:00:00.001Z'),
      },
    ]);
  });
});
