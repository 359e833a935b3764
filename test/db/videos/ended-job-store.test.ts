import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deleteEndedJobs } from '../../../db/videos/ended-job-store.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { createCaller, errorOf } from '../../support/caller.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { submit } from '../../support/jobs.ts';

const DAY_MS = 86_400_000;
const BELONGINGS = ['job_submissions', 'job_outputs', 'webhook_deliveries', 'job_requests'];

let gateway: Gateway;
let deps: TestActivityDeps;

beforeAll(async () => {
  gateway = await startGateway();
  deps = await createActivityDeps(gateway);
});

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

function run(sql: string, ...values: unknown[]) {
  return gateway.database.query(sql, values);
}

/** A job that completed 91 days ago, with a submission, a removed file, and a delivered webhook. */
async function endedJob(): Promise<string> {
  const { id } = await submit(gateway, { callback_url: 'http://127.0.0.1:9/hook' });
  await run(
    `insert into job_submissions (job_id, n, endpoint_id, provider, idempotency_key, state)
     values ($1, 1, 'local/clip-canned@local', 'local', $1 || '-1', 'accepted')`,
    id,
  );
  await run(
    `insert into job_outputs (job_id, index, object_key, content_type, bytes, sha256, removed_at)
     values ($1, 0, 'videos/x', 'video/mp4', 1, '', now())`,
    id,
  );
  const { deliveryId } = await settleJob(deps.video, id, { status: 'completed' });
  await run(
    `update webhook_deliveries set status = 'delivered', completed_at = now() where id = $1`,
    deliveryId,
  );
  await run(`insert into webhook_attempts (delivery_id, replay, attempt) values ($1, 0, 1)`, deliveryId);
  await run(`update video_jobs set ended_at = now() - interval '91 days' where id = $1`, id);
  return id;
}

/** Deletes the generation of a job, like the ledger when it drops a day. */
async function dropGeneration(jobId: string): Promise<void> {
  await run(`delete from generations where id = (select generation_id from video_jobs where id = $1)`, jobId);
}

function deleteOld(): Promise<number> {
  return deleteEndedJobs(deps.knex, 90 * DAY_MS, 100);
}

async function exists(jobId: string): Promise<boolean> {
  return (await run('select from video_jobs where id = $1', jobId)).rowCount === 1;
}

describe('a video job that ended before the retention', () => {
  test('disappears with all its rows, and then answers 404', async () => {
    const id = await endedJob();
    await dropGeneration(id);
    expect(await deleteOld()).toBe(1);
    for (const table of BELONGINGS) {
      expect([table, (await run(`select from ${table} where job_id = $1`, id)).rowCount]).toEqual([table, 0]);
    }
    expect((await run('select from webhook_attempts')).rowCount).toBe(0);
    const owner = createCaller(gateway.origin, gateway.apiKey);
    for (const path of [`/videos/${id}`, `/videos/${id}/content`]) {
      expect((await errorOf(await owner.call('GET', path))).code).toBe(404);
    }
    expect(await deleteOld()).toBe(0);
  });

  test('stays while its generation is kept', async () => {
    const id = await endedJob();
    expect([await deleteOld(), await exists(id)]).toEqual([0, true]);
    await dropGeneration(id);
    expect([await deleteOld(), await exists(id)]).toEqual([1, false]);
  });

  test.each([
    ['one of its files is not removed', 'update job_outputs set removed_at = null where job_id = $1'],
    [
      'a file was intended for it',
      `insert into intended_outputs (job_id, index, object_key) values ($1, 1, 'x')`,
    ],
    [
      'its webhook is being delivered again',
      `update webhook_deliveries set status = 'pending' where job_id = $1`,
    ],
  ])('stays while %s', async (_, statement) => {
    const id = await endedJob();
    await dropGeneration(id);
    await run(statement, id);
    expect([await deleteOld(), await exists(id)]).toEqual([0, true]);
    await run(`delete from intended_outputs where job_id = $1`, id);
    await run(`update job_outputs set removed_at = now() where job_id = $1`, id);
    await run(`update webhook_deliveries set status = 'delivered' where job_id = $1`, id);
    expect([await deleteOld(), await exists(id)]).toEqual([1, false]);
  });

  test('stays while an open job continues it, and not for an ended one', async () => {
    const [previous, { id: next }] = [await endedJob(), await submit(gateway)];
    await dropGeneration(previous);
    await run('update video_jobs set previous_job_id = $1 where id = $2', previous, next);
    expect([await deleteOld(), await exists(previous)]).toEqual([0, true]);
    await settleJob(deps.video, next, { status: 'cancelled', code: 'cancelled' });
    expect([await deleteOld(), await exists(previous)]).toEqual([1, false]);
    const { rows } = await run('select previous_job_id from video_jobs where id = $1', next);
    expect(rows).toEqual([{ previous_job_id: null }]);
  });
});

test('open jobs and jobs that ended within the retention stay', async () => {
  const young = await endedJob();
  await dropGeneration(young);
  await run(`update video_jobs set ended_at = now() - interval '89 days' where id = $1`, young);
  const { id: open } = await submit(gateway);
  await run(`update video_jobs set created_at = now() - interval '1 year' where id = $1`, open);
  expect(await deleteOld()).toBe(0);
  expect([await exists(young), await exists(open)]).toEqual([true, true]);
});
