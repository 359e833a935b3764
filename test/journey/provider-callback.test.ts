import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request as forward } from 'node:http';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import type { Prediction } from '../providers/replicate-prediction.ts';
import {
  type ReplicateUpstream,
  signed,
  startReplicateUpstream,
  WEBHOOK_SECRET,
} from '../providers/replicate-upstream.ts';
import { UPSTREAM_KEY } from '../providers/upstream-client.ts';
import { type Caller, createCaller, visibleParts } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, getJob, submit } from '../support/jobs.ts';
import { historyOf, pendingActivity, runClosed } from '../support/runs.ts';

const OTHER_SECRET = `whsec_${Buffer.from('another secret, as long as it').toString('base64')}`;

let vendor: ReplicateUpstream;
/** The public address of the gateway, which must be known before the gateway has a port. */
let door: LoopbackServer;
let gateway: Gateway;
let caller: Caller;
/** Nobody, as a vendor is to the gateway. */
let stranger: Caller;

beforeAll(async () => {
  vendor = await startReplicateUpstream();
  door = await startLoopbackServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const onward = forward(gateway.origin + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward.on('error', () => response.destroy()));
  });
  gateway = await startGateway({
    worker: ['video'],
    env: {
      PUBLIC_URL: door.origin,
      PROVIDER_REPLICATE_API_KEY: UPSTREAM_KEY,
      PROVIDER_REPLICATE_BASE_URL: vendor.baseUrl,
      PROVIDER_REPLICATE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      // Only a callback can bring a job to its end while a test waits.
      JOB_POLL_FLOOR: '5m',
      JOB_POLL_CEILING: '5m',
    },
  });
  caller = createCaller(gateway.origin, gateway.apiKey);
  stranger = createCaller(gateway.origin);
});

afterAll(async () => {
  await gateway.close();
  await door.close();
  await vendor.upstream.close();
});

interface RunningJob {
  id: string;
  prediction: Prediction;
  /** Where the vendor was told to call back, as the API's caller names it. */
  path: string;
}

/** A job that the vendor works on, whose run has asked once and waits five minutes to ask again. */
async function startJob(): Promise<RunningJob> {
  vendor.upstream.addFaults({ kind: 'stall' });
  const { id } = await submit(caller, { model: 'kwaivgi/kling-v2.5-turbo-pro', duration: 5 });
  await eventually(`${id} waiting for its next poll`, async () => {
    const pending = await pendingActivity(gateway, id);
    return pending?.name === 'checkVideoStatus' && pending.lastFailure !== '' ? true : undefined;
  });
  const prediction = vendor.predictions().at(-1)!;
  const { pathname, search } = new URL(prediction.webhook!);
  return { id, prediction, path: pathname + search };
}

function polls({ prediction }: RunningJob): number {
  return vendor.upstream.requests('retrieve').filter(({ path }) => path.endsWith(prediction.id)).length;
}

async function signals({ id }: RunningJob): Promise<string[]> {
  const events = await historyOf(gateway, id);
  return events.flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName ?? []);
}

async function rowOf({ id }: RunningJob): Promise<Record<string, unknown>> {
  const { rows } = await gateway.database.query<Record<string, unknown>>(
    `select status, vendor_status, callback_signalled_at is not null signalled, updated_at
     from video_jobs where id = $1`,
    [id],
  );
  return rows[0]!;
}

function post(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return stranger.call('POST', path, { body, headers });
}

function said({ prediction }: RunningJob, status: string): string {
  return JSON.stringify({ id: prediction.id, status, output: 'https://elsewhere.example/other.mp4' });
}

/** Ends what a test left open. */
async function abandon({ id }: RunningJob): Promise<void> {
  await caller.call('POST', `/videos/${id}/cancel`);
  await ended(caller, id);
}

describe('the callback of a provider', () => {
  test('completes the job before its next poll, with one signal for five deliveries', async () => {
    const job = await startJob();
    expect(polls(job)).toBe(1);
    const answers = await Promise.all([
      vendor.finish(job.prediction.id),
      ...Array.from({ length: 4 }, () => vendor.sendCallback(job.prediction.id)),
    ]);
    for (const answer of answers) {
      expect(answer?.status).toBe(200);
      expect(await answer?.json()).toEqual({ received: true });
    }
    const done = await ended(caller, job.id);
    expect(done).toMatchObject({ status: 'completed', usage: { cost: 0.35 } });
    expect(polls(job)).toBe(2);
    await runClosed(gateway, job.id);
    expect(await signals(job)).toEqual(['providerCallback']);
    expect((await historyOf(gateway, job.id)).length).toBeLessThanOrEqual(50);
    const file = await caller.call('GET', `/videos/${job.id}/content`);
    expect(Buffer.from(await file.arrayBuffer()).toString('latin1', 4, 8)).toBe('ftyp');
  });

  test('answers 200 for an ended job, and changes nothing', async () => {
    const job = await startJob();
    await vendor.finish(job.prediction.id);
    await runClosed(gateway, job.id);
    const [before, events] = [await rowOf(job), (await historyOf(gateway, job.id)).length];
    expect((await vendor.sendCallback(job.prediction.id)).status).toBe(200);
    expect(await rowOf(job)).toEqual(before);
    expect(await historyOf(gateway, job.id)).toHaveLength(events);
  });

  test("fails the job with the vendor's own answer to a poll", async () => {
    const job = await startJob();
    await vendor.finish(job.prediction.id, 'failed');
    expect(await ended(caller, job.id)).toMatchObject({ status: 'failed', error: 'Prediction failed.' });
  });

  test('causes one poll for the result, and a second callback causes none', async () => {
    const job = await startJob();
    const body = said(job, 'succeeded');
    const headers = signed(WEBHOOK_SECRET, job.prediction.id, body);
    expect((await post(job.path, body, headers)).status).toBe(200);
    await eventually('the check that the callback caused', async () => (polls(job) === 2 ? true : undefined));
    expect(await getJob(caller, job.id)).toMatchObject({ status: 'in_progress' });
    expect((await post(job.path, body, headers)).status).toBe(200);
    await eventually('the run waiting again', async () => {
      const pending = await pendingActivity(gateway, job.id);
      return pending !== undefined && pending.lastFailure !== '' ? true : undefined;
    });
    expect(polls(job)).toBe(2);
    expect(await signals(job)).toEqual(['providerCallback']);
    await abandon(job);
  });

  test("records the vendor's progress, and signals no run", async () => {
    const job = await startJob();
    const body = said(job, 'starting');
    expect((await post(job.path, body, signed(WEBHOOK_SECRET, 'p', body))).status).toBe(200);
    expect(await rowOf(job)).toMatchObject({ vendor_status: 'starting', signalled: false });
    expect(await signals(job)).toEqual([]);
    await abandon(job);
  });

  test("finds its job by the vendor's id at the address of all jobs", async () => {
    const job = await startJob();
    job.prediction.ended = { status: 'succeeded', atMs: Date.now() };
    const to = `${door.origin}/api/v1/provider-callbacks/replicate`;
    expect((await vendor.sendCallback(job.prediction.id, { to })).status).toBe(200);
    expect(await ended(caller, job.id)).toMatchObject({ status: 'completed' });
  });
});

describe('an unauthenticated callback', () => {
  const base = '/api/v1/provider-callbacks';

  test('gets the same 404 for every missing or wrong proof, and signals no run', async () => {
    const [job, other] = [await startJob(), await startJob()];
    const body = said(job, 'succeeded');
    const proof = signed(WEBHOOK_SECRET, job.prediction.id, body);
    const [address, token = ''] = job.path.split('?token=');
    const otherToken = other.path.split('?token=')[1];
    const altered = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    const attempts: [string, string, Record<string, string>][] = [
      [`${address}`, body, proof],
      [`${address}?token=`, body, proof],
      [`${address}?token=${altered}`, body, proof],
      [`${address}?token=${token}=`, body, proof],
      [`${address}?token=${token}&token=${token}`, body, proof],
      [`${address}?token=${otherToken}`, body, proof],
      [job.path, body, {}],
      [job.path, `${body} `, proof],
      [job.path, body, signed(OTHER_SECRET, job.prediction.id, body)],
      [job.path, body, signed(WEBHOOK_SECRET, job.prediction.id, body, new Date(Date.now() - 3_600_000))],
      [job.path, '{}', signed(WEBHOOK_SECRET, job.prediction.id, '{}')],
      [job.path.replace('/replicate/', '/local/'), body, proof],
      [job.path.replace('/replicate/', '/nobody/'), body, proof],
      [job.path.replace(job.id, 'gen-vid-1-aaaaaaaaaaaaaaaaaaaa'), body, proof],
      [job.path.replace(job.id, '%00'), body, proof],
      [`${base}/replicate`, body, {}],
      [`${base}/replicate`, body, signed(OTHER_SECRET, job.prediction.id, body)],
      [`${base}/replicate`, ...signedBody({ id: 'unheardof', status: 'succeeded' })],
      [`${base}/local`, body, proof],
      [`${base}/nobody`, body, proof],
    ];
    const answers = [];
    for (const [path, text, headers] of attempts)
      answers.push(await visibleParts(await post(path, text, headers)));
    const [first] = answers;
    expect(first).toMatchObject({ status: 404 });
    expect(answers).toEqual(attempts.map(() => first));
    for (const one of [job, other]) {
      expect(await rowOf(one)).toMatchObject({ status: 'in_progress', signalled: false });
      expect(await signals(one)).toEqual([]);
      expect(polls(one)).toBe(1);
      await abandon(one);
    }
  });

  test('gets 404 before its body is read if no proof is possible', async () => {
    for (const path of [
      `${base}/replicate/gen-vid-1-aaaaaaaaaaaaaaaaaaaa?token=x`,
      `${base}/replicate/gen-vid-1-aaaaaaaaaaaaaaaaaaaa`,
      `${base}/local`,
      `${base}/nobody`,
    ]) {
      expect((await post(path, padded(2 * MIB))).status).toBe(404);
      expect((await post(path, 'no JSON')).status).toBe(404);
      expect((await post(path, '{}', { 'content-type': 'text/plain' })).status).toBe(404);
    }
  });
});

describe('the body of a callback', () => {
  const toAll = '/api/v1/provider-callbacks/replicate';

  test('may have 1 MiB with the right token', async () => {
    const job = await startJob();
    expect((await post(job.path, padded(MIB))).status).toBe(404);
    expect((await post(job.path, padded(MIB + 1))).status).toBe(413);
    expect((await post(job.path, 'no JSON')).status).toBe(400);
    expect((await post(job.path, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
    await abandon(job);
  });

  test('may have 256 KiB without a token', async () => {
    expect((await post(toAll, padded(256 * 1024))).status).toBe(404);
    expect((await post(toAll, padded(256 * 1024 + 1))).status).toBe(413);
  });
});

const MIB = 1024 ** 2;

/** Makes JSON of exactly so many bytes, which no vendor has signed. */
function padded(bytes: number): string {
  const empty = JSON.stringify({ padding: '' });
  return JSON.stringify({ padding: 'x'.repeat(bytes - empty.length) });
}

function signedBody(value: { id: string; status: string }): [string, Record<string, string>] {
  const body = JSON.stringify(value);
  return [body, signed(WEBHOOK_SECRET, value.id, body)];
}
