import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, getJob, inStatus, submit, type WireJob } from '../support/jobs.ts';
import { CLOSED_PORT, type Replica, startReplica } from '../support/replica.ts';

const ALREADY_ENDED = {
  code: 409,
  message: expect.stringMatching(/^The job has already ended: it is (completed|failed|expired)$/),
  metadata: { reason: 'job_already_ended', retryable: false },
};
const NEVER_READY = { provider: { options: { local: { faults: [{ kind: 'stall' }] } } } };

let gateway: Gateway;
let caller: Caller;
/** An API that cannot reach Temporal. */
let cutOff: Replica;

beforeAll(async () => {
  gateway = await startGateway({
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  caller = createCaller(gateway.origin, gateway.apiKey);
  cutOff = await startReplica(gateway, ({ temporal }) => ({
    temporal: { ...temporal, address: CLOSED_PORT },
  }));
});

afterAll(async () => {
  await cutOff.close();
  await gateway.close();
});

async function cancel(jobId: string, by = caller): Promise<WireJob> {
  const response = await by.call('POST', `/videos/${jobId}/cancel`);
  expect(response.status).toBe(200);
  return (await response.json()) as WireJob;
}

async function operationOf(jobId: string): Promise<string | undefined> {
  const { rows } = await gateway.database.query<{ id: string }>(
    `select operation ->> 'id' id from job_submissions where job_id = $1`,
    [jobId],
  );
  return rows[0]?.id;
}

describe('POST /videos/{id}/cancel', () => {
  test('keeps a job that no worker has taken from reaching the provider', async () => {
    const { id } = await submit(caller);
    expect(await getJob(caller, id)).toMatchObject({ cancel_requested_at: null });
    const { cancel_requested_at } = await cancel(id);
    expect(cancel_requested_at).toMatch(/Z$/);
    expect(await cancel(id)).toMatchObject({ id, status: 'pending', cancel_requested_at });
    await gateway.startWorker();
    expect(await ended(caller, id)).toMatchObject({
      status: 'cancelled',
      cancel_requested_at,
      error: 'The job was cancelled',
      generation_id: expect.any(String),
    });
    expect(gateway.upstream.requests('create')).toEqual([]);
  });

  test('ends a running job, deletes it at the provider, and bills nothing', async () => {
    const { id } = await submit(caller, NEVER_READY);
    await inStatus(caller, id, 'in_progress');
    await cancel(id);
    const job = await ended(caller, id);
    expect(job.status).toBe('cancelled');
    expect(job).toHaveProperty('error');
    for (const name of ['usage', 'urls', 'unsigned_urls', 'expires_at']) expect(job).not.toHaveProperty(name);
    const deleted = gateway.upstream.requests('delete').map(({ path }) => path);
    expect(deleted).toEqual([`/v1/videos/${await operationOf(id)}`]);
    const { rows } = await gateway.database.query(
      `select status, cost_nanos, status = 'cancelled' cancelled from generations where id = $1`,
      [job.generation_id],
    );
    expect(rows).toEqual([{ status: 'cancelled', cost_nanos: '0', cancelled: true }]);
  });

  test('answers 200 the second time and changes nothing', async () => {
    const { id } = await submit(caller, NEVER_READY);
    await inStatus(caller, id, 'in_progress');
    await cancel(id);
    const job = await ended(caller, id);
    const deleted = gateway.upstream.requests('delete').length;
    expect(await cancel(id)).toEqual(job);
    expect(await getJob(caller, id)).toEqual(job);
    expect(gateway.upstream.requests('delete')).toHaveLength(deleted);
  });

  test('answers 409 for a job that completed or failed', async () => {
    const faults = (kind: string) => ({ provider: { options: { local: { faults: [{ kind }] } } } });
    const jobs = [await submit(caller), await submit(caller, faults('fail'))];
    for (const [index, status] of ['completed', 'failed'].entries()) {
      const { id } = jobs[index]!;
      expect(await ended(caller, id)).toMatchObject({ status });
      expect(await errorOf(await caller.call('POST', `/videos/${id}/cancel`))).toEqual(ALREADY_ENDED);
      expect(await getJob(caller, id)).toMatchObject({ status });
    }
  });

  test('answers 409 for a job that ends at the same moment', async () => {
    const { id } = await submit(caller, NEVER_READY);
    const client = await gateway.database.connect();
    await client.query('begin');
    await client.query(`update video_jobs set status = 'failed', ended_at = now() where id = $1`, [id]);
    const asked = caller.call('POST', `/videos/${id}/cancel`);
    await eventually('the cancel waiting for the row', async () => {
      const { rowCount } = await gateway.database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like '%set cancel_requested_at%'`,
      );
      return rowCount === 1 ? true : undefined;
    });
    await client.query('commit');
    client.release();
    expect(await errorOf(await asked)).toEqual(ALREADY_ENDED);
  });

  test('ends the job and bills its price if the provider refuses to stop', async () => {
    const { id } = await submit(caller, NEVER_READY);
    await inStatus(caller, id, 'in_progress');
    gateway.upstream.addFaults({ kind: 'status', on: 'delete', status: 409 });
    await cancel(id);
    const job = await ended(caller, id);
    expect(job).toMatchObject({ status: 'cancelled', usage: { cost: 0.01, is_byok: false } });
    const generation = await caller.call('GET', `/generation?id=${job.generation_id}`);
    expect(await generation.json()).toMatchObject({ data: { usage: 0.01, cancelled: true } });
  });
});

describe('an API that cannot reach Temporal', () => {
  test('accepts a job, which the sweep starts', async () => {
    const elsewhere = createCaller(cutOff.origin, gateway.apiKey);
    const { id } = await submit(elsewhere);
    expect(await ended(elsewhere, id)).toMatchObject({ status: 'completed' });
  });

  test("cancels a job, which the job's next check notices", async () => {
    const { id } = await submit(caller, NEVER_READY);
    await inStatus(caller, id, 'in_progress');
    const elsewhere = createCaller(cutOff.origin, gateway.apiKey);
    expect(await cancel(id, elsewhere)).toMatchObject({ id });
    expect(await ended(elsewhere, id)).toMatchObject({ status: 'cancelled' });
    expect(gateway.upstream.requests('delete').map(({ path }) => path)).toContain(
      `/v1/videos/${await operationOf(id)}`,
    );
  });
});
