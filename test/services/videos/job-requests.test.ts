import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import sharp from 'sharp';
import { uncheckedRowsOf } from '../../support/knex-bridge.ts';
import type { TerminalEnd } from '../../../domain/videos/job.ts';
import { checkJob } from '../../../services/videos/check-job.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import { createCaller } from '../../support/caller.ts';
import { logged } from '../../support/generation-reads.ts';
import { submit } from '../../support/jobs.ts';
import { updateWorkspace } from '../../support/workspaces.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

/** Noise, which no compression makes smaller. */
const NOISE = { width: 700, height: 700, channels: 3 } as const;
const PNG = await sharp(randomBytes(NOISE.width * NOISE.height * NOISE.channels), { raw: NOISE })
  .png()
  .toBuffer();
const MEDIA_BYTES = PNG.length;
const FRAME = {
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` },
  frame_type: 'first_frame',
};
const LARGE = { model: 'local/clip-1', prompt: 'A boat made of paper', frame_images: [FRAME] };
const COMPLETED: TerminalEnd = { status: 'completed' };
const CANCELLED: TerminalEnd = { status: 'cancelled', code: 'cancelled' };

let scene: SubmitScene;

beforeAll(async () => {
  scene = await startSubmitScene();
});

afterAll(() => scene.close());

/** Counts the bytes of rows that Postgres answered while the work ran. */
async function bytesRead(work: () => Promise<unknown>): Promise<number> {
  const asked = jest.spyOn(pg.Client.prototype, 'query');
  await work();
  const results = asked.mock.results.map(({ value }) => value as unknown as Promise<pg.QueryResult>);
  asked.mockRestore();
  const answers = (await Promise.allSettled(results)).flatMap((settled) =>
    settled.status === 'fulfilled' ? [settled.value] : [],
  );
  return answers.reduce((sum, { rows }) => sum + JSON.stringify(rows ?? []).length, 0);
}

function check(jobId: string) {
  return checkJob(scene.deps.video, jobId, { signal: new AbortController().signal, requestId: jobId });
}

/** The bytes of everything that Postgres still knows of a job's request. */
async function storedBytes(jobId: string): Promise<number> {
  const { rows } = await scene.gateway.database.query<{ bytes: number }>(
    `select length(to_json(j)::text) + coalesce((select length(r.request::text) from job_requests r where r.job_id = j.id), 0)
              bytes from video_jobs j where id = $1`,
    [jobId],
  );
  return rows[0]!.bytes;
}

describe('the request of a video job', () => {
  test('costs one read by the submission and none by status checks', async () => {
    const { id } = await submit(scene.gateway, LARGE);
    expect(await bytesRead(() => scene.attempt(id))).toBeGreaterThan(MEDIA_BYTES);
    expect(scene.asked('create', id)).toHaveLength(1);
    const checks = async (): Promise<void> => {
      for (let n = 0; n < 5; n += 1) await check(id);
    };
    expect(await bytesRead(checks)).toBeLessThan(64 * 1024);
    expect(await bytesRead(() => settleJob(scene.deps.video, id, COMPLETED))).toBeLessThan(64 * 1024);
  });

  test.each([COMPLETED, CANCELLED])('disappears from Postgres when the job ends as %j', async (end) => {
    const { id } = await submit(scene.gateway, LARGE);
    expect(await storedBytes(id)).toBeGreaterThan(MEDIA_BYTES);
    await settleJob(scene.deps.video, id, end);
    expect(await storedBytes(id)).toBeLessThan(8 * 1024);
  });

  test('stays when the settlement is rolled back', async () => {
    const { id } = await submit(scene.gateway, LARGE);
    const renderEvent = (): never => {
      throw new Error('no such event');
    };
    await scene.gateway.database.query(
      `update video_jobs set callback_url = 'http://127.0.0.1:9/' where id = $1`,
      [id],
    );
    await expect(settleJob({ ...scene.deps.video, renderEvent }, id, COMPLETED)).rejects.toThrow(
      'no such event',
    );
    expect(await storedBytes(id)).toBeGreaterThan(MEDIA_BYTES);
  });

  test('leaves its session, end user, media and modalities in the ledger', async () => {
    const { id } = await submit(scene.gateway, { ...LARGE, user: 'reader-7', session_id: 'session-7' });
    await settleJob(scene.deps.video, id, COMPLETED);
    const rows = await uncheckedRowsOf(
      scene.deps.knex,
      `select d.session_id, g.external_user, g.media_prompt, g.input_modalities
       from generations g join generation_details d on d.id = g.id
       where g.id = (select generation_id from video_jobs where id = ?)`,
      [id],
    );
    // Text and image, as bits.
    expect(rows).toEqual([
      {
        session_id: 'session-7',
        external_user: 'reader-7',
        media_prompt: 1,
        input_modalities: 3,
      },
    ]);
  });

  test('leads to not_claimed when it was deleted before the submission', async () => {
    const { id } = await submit(scene.gateway, LARGE);
    await scene.gateway.database.query('delete from job_requests where job_id = $1', [id]);
    expect(await scene.attempt(id)).toEqual({ kind: 'not_claimed' });
    expect(scene.asked('create', id)).toEqual([]);
  });
});

describe('input logging', () => {
  test('keeps the prompt of a video job without its media', async () => {
    const { gateway, deps } = scene;
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const owner = createCaller(gateway.origin, gateway.apiKey);
    await updateWorkspace(manager, gateway.workspaceId, { is_observability_io_logging_enabled: true });
    const [done, failed] = [await submit(gateway, LARGE), await submit(gateway, LARGE)];
    await settleJob(deps.video, done.id, COMPLETED);
    await settleJob(deps.video, failed.id, { status: 'expired', code: 'deadline_exceeded' });
    const contentOf = async (jobId: string) => {
      const { rows } = await gateway.database.query<{ id: string }>(
        'select generation_id id from video_jobs where id = $1',
        [jobId],
      );
      return logged(owner, rows[0]!.id);
    };
    const body = { input: { prompt: 'A boat made of paper' }, output: { completion: null, reasoning: null } };
    expect(await contentOf(done.id)).toEqual({ ...body, error: null });
    expect(await contentOf(failed.id)).toEqual({
      ...body,
      error: {
        message: 'The job did not finish before its deadline',
        status: null,
        provider_name: 'local',
        previous_errors: [],
        raw: null,
      },
    });
    await updateWorkspace(manager, gateway.workspaceId, { is_observability_io_logging_enabled: false });
  });
});
