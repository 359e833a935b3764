import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { addKey, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';
import { keyOf, makeKey, patchKey, statusOf } from '../support/keys.ts';
import { startDeafReplica } from '../support/replica.ts';

const UNKNOWN = 'gen-vid-1767225600000-aaaaaaaaaaaaaaaaaaaa';
const CLIP = { model: 'local/clip-1', prompt: 'a kite', duration: 1, resolution: '360p' };

let gateway: Gateway;
let caller: Caller;
let neighbour: Caller;
let first: WireJob;
let running: WireJob;
let failed: WireJob;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['video'] });
  caller = createCaller(gateway.origin, gateway.apiKey);
  const place = await addWorkspace(gateway);
  neighbour = createCaller(gateway.origin, (await addKey(gateway, place)).token);
  const faulty = (kind: string) => ({ ...CLIP, provider: { options: { local: { faults: [{ kind }] } } } });
  running = await submit(caller, faulty('stall'));
  failed = await submit(caller, faulty('fail'));
  first = await submit(caller, CLIP);
  await ended(caller, failed.id);
  await ended(caller, first.id);
});

afterAll(async () => {
  await gateway.close();
});

function continueJob(previousJobId: string, by = caller, body: object = {}): Promise<Response> {
  return by.call('POST', '/videos', { body: { ...CLIP, previous_job_id: previousJobId, ...body } });
}

async function countJobs(): Promise<number> {
  const { rows } = await gateway.database.query<{ n: string }>('select count(*) n from video_jobs');
  return Number(rows[0]?.n);
}

/** Deletes a job with all that refers to it. */
async function deleteJob(client: pg.PoolClient, jobId: string): Promise<void> {
  for (const table of ['job_submissions', 'job_outputs', 'intended_outputs']) {
    await client.query(`delete from ${table} where job_id = $1`, [jobId]);
  }
  await client.query('delete from video_jobs where id = $1', [jobId]);
}

describe('a job that continues an earlier one', () => {
  test("sends the earlier job to the provider's remix, on the same endpoint", async () => {
    const response = await continueJob(first.id, caller, { prompt: 'the kite lands' });
    expect(response.status).toBe(202);
    const next = await ended(caller, ((await response.json()) as WireJob).id);
    expect(next.status).toBe('completed');
    expect(next.usage).toEqual({ cost: 0.01, is_byok: false });
    const [remix, ...others] = gateway.upstream.requests('remix');
    expect(others).toEqual([]);
    const { rows } = await gateway.database.query<{ id: string }>(
      `select operation ->> 'id' id from job_submissions where job_id = $1`,
      [first.id],
    );
    expect(remix?.path).toBe(`/v1/videos/${rows[0]?.id}/remix`);
    expect(remix?.fields).toMatchObject({ prompt: 'the kite lands' });
  });

  test('takes shape and default duration from the earlier job', async () => {
    const model = CLIP.model;
    const like = await submit(caller, { model, duration: undefined, previous_job_id: first.id });
    const longer = await submit(caller, { model, duration: 2, previous_job_id: first.id });
    const costs = [await ended(caller, like.id), await ended(caller, longer.id)].map(
      ({ usage }) => usage?.cost,
    );
    expect(costs).toEqual([0.01, 0.02]);
    const seconds = gateway.upstream.requests('remix').map(({ fields }) => fields?.['seconds']);
    expect(new Set(seconds.slice(-2))).toEqual(new Set(['1', '2']));
  });

  test('answers 404 if the earlier job is deleted during the request', async () => {
    const gone = await submit(caller, CLIP);
    await ended(caller, gone.id);
    const holder = await gateway.database.connect();
    await holder.query('begin');
    await deleteJob(holder, gone.id);
    const answer = continueJob(gone.id);
    await eventually('the insert that waits for the deletion', async () => {
      const { rowCount } = await gateway.database.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'sluice-api'
           and wait_event_type = 'Lock'`,
      );
      return rowCount === 1 ? true : undefined;
    });
    await holder.query('commit');
    holder.release();
    expect(await errorOf(await answer)).toMatchObject({
      code: 404,
      metadata: { reason: 'previous_job_not_found' },
    });
  });

  test('answers 400 for shape and images, and creates no job', async () => {
    const before = await countJobs();
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const response = await continueJob(first.id, caller, {
      resolution: '720p',
      aspect_ratio: '1:1',
      size: '720x720',
      frame_images: [{ ...image, frame_type: 'first_frame' }],
      input_references: [image],
    });
    const { code, metadata } = await errorOf(response);
    expect(code).toBe(400);
    expect(metadata.issues?.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'body.resolution must be 360p, as in the job that is continued',
      'body.aspect_ratio must be 16:9, as in the job that is continued',
      'body.size must be 640x360, as in the job that is continued',
      expect.stringMatching(/^body.frame_images is not supported with previous_job_id/),
      expect.stringMatching(/^body.input_references.0 is not supported with previous_job_id/),
    ]);
    expect(await countJobs()).toBe(before);
  });

  test('answers an unknown and a foreign earlier job alike, and creates no job', async () => {
    const before = await countJobs();
    const unknown = await continueJob(UNKNOWN, neighbour);
    expect(unknown.status).toBe(404);
    const foreign = await continueJob(first.id, neighbour);
    expect(await visibleParts(foreign)).toEqual(await visibleParts(unknown));
    expect(await countJobs()).toBe(before);
  });

  test.each<[string, Record<string, string>]>([
    ['plain', {}],
    ['with an Idempotency-Key', { 'idempotency-key': 'moved' }],
  ])("answers 404, %s, when its key has just left the earlier job's workspace", async (_how, headers) => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const { record, token } = await makeKey(manager);
    const { workspaceId } = await addWorkspace(gateway);
    const deaf = await startDeafReplica(gateway);
    try {
      expect(await statusOf(deaf, token)).toBe(200);
      const before = await countJobs();
      await keyOf(await patchKey(manager, record.hash, { workspace_id: workspaceId }));
      const body = { ...CLIP, previous_job_id: first.id };
      const refused = await createCaller(deaf.origin, token).call('POST', '/videos', { body, headers });
      expect(await visibleParts(refused)).toEqual(await visibleParts(await continueJob(UNKNOWN)));
      expect(await countJobs()).toBe(before);
    } finally {
      await deaf.close();
    }
  });

  test.each([
    ['runs', () => running.id, 'names a job that is in_progress, not completed'],
    ['failed', () => failed.id, 'names a job that is failed, not completed'],
  ])('answers 400 when the earlier job %s', async (_name, id, message) => {
    expect(await errorOf(await continueJob(id()))).toMatchObject({
      code: 400,
      metadata: { issues: [{ path: 'body.previous_job_id', message }] },
    });
  });

  test("answers 400 for another model than the earlier job's", async () => {
    const response = await continueJob(first.id, caller, {
      model: 'local/clip-canned',
      resolution: undefined,
    });
    expect(await errorOf(response)).toMatchObject({
      code: 400,
      metadata: {
        issues: [
          {
            path: 'body.previous_job_id',
            message: 'names a job of model local/clip-1, not local/clip-canned',
          },
        ],
      },
    });
  });

  test('answers 400 for a model that cannot continue jobs', async () => {
    const canned = await ended(caller, (await submit(caller)).id);
    const response = await continueJob(canned.id, caller, {
      model: 'local/clip-canned',
      resolution: undefined,
    });
    expect(await errorOf(response)).toMatchObject({
      code: 400,
      metadata: {
        issues: [{ path: 'body.previous_job_id', message: 'this model cannot continue an earlier job' }],
      },
    });
  });

  test('fails without a charge when the provider no longer knows the earlier job', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'remix', status: 404 });
    const response = await continueJob(first.id);
    const job = await ended(caller, ((await response.json()) as WireJob).id);
    expect(job).toMatchObject({ status: 'failed', error: expect.any(String) });
    expect(job).not.toHaveProperty('usage');
  });
});
