import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../../upstream/faults.ts';
import { submitJob } from '../../../services/videos/submit-job.ts';
import { NOTHING_SWEPT, sweep, type SweepReport } from '../../../services/sweep/sweep.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { eventually } from '../../support/eventually.ts';
import { commitEvent } from '../../support/events.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { deliveryOf, factsOf, ledgerSums } from '../../support/job-facts.ts';
import { submit } from '../../support/jobs.ts';
import { runStarted } from '../../support/runs.ts';

let gateway: Gateway;
let deps: TestActivityDeps;

beforeAll(async () => {
  gateway = await startGateway();
  deps = await createActivityDeps(gateway);
});

/** Each test sees its own rows only. */
beforeEach(async () => {
  await gateway.database.query('truncate video_jobs, webhook_deliveries, generations cascade');
});

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

function sweepNow(): Promise<SweepReport> {
  return sweep(deps.sweeping.sweep);
}

/** A job whose run waits for a worker that never comes. `columns` are then set, in SQL. */
async function job(columns = ''): Promise<string> {
  const { id } = await submit(gateway, { callback_url: 'http://127.0.0.1:9/hook' });
  await runStarted(gateway, id);
  await waitUntilDispatched(id);
  if (columns !== '') await gateway.database.query(`update video_jobs set ${columns} where id = $1`, [id]);
  return id;
}

/** The same without a run: as if Temporal had lost it. */
async function jobWithoutRun(columns = ''): Promise<string> {
  const id = await job(columns);
  await gateway.temporal.workflow.getHandle(id).terminate();
  return id;
}

/** A job that its provider is at work on, long past its deadline, and whose run is lost. */
async function acceptedJob(faults: FaultInput[]): Promise<string> {
  const options = { local: { faults: [{ kind: 'stall' }, ...faults] } };
  const { id } = await submit(gateway, { provider: { options } });
  await runStarted(gateway, id);
  const context = { signal: new AbortController().signal, requestId: id };
  expect((await submitJob(deps.video, id, 'run', context)).kind).toBe('accepted');
  await gateway.temporal.workflow.getHandle(id).terminate();
  await gateway.database.query(`update video_jobs set ${OVERDUE} where id = $1`, [id]);
  return id;
}

function stops(jobId: string) {
  return gateway.upstream.requests('delete').filter(({ requestId }) => requestId === jobId);
}

async function waitUntilDispatched(id: string): Promise<void> {
  for (;;) {
    const { rows } = await gateway.database.query('select dispatched_at from video_jobs where id = $1', [id]);
    if (rows[0].dispatched_at !== null) return;
  }
}

async function columnsOf(id: string): Promise<Record<string, unknown>> {
  const { rows } = await gateway.database.query('select * from video_jobs where id = $1', [id]);
  return rows[0];
}

async function isRunning(workflowId: string): Promise<boolean> {
  const { status } = await gateway.temporal.workflow.getHandle(workflowId).describe();
  return status.name === 'RUNNING';
}

const LONG_AGO = `now() - interval '1 hour'`;
const UNDISPATCHED = `dispatched_at = null, created_at = ${LONG_AGO}`;
const UNCLAIMED = `dispatched_at = ${LONG_AGO}`;
const OVERDUE = `status = 'in_progress', claimed_at = now(), deadline_at = ${LONG_AGO}`;
const UNHEARD_OF = `claimed_at = ${LONG_AGO}, updated_at = ${LONG_AGO}, run_id = 'gone'`;

test('a sweep leaves a job with a waiting run alone', async () => {
  await job();
  expect(await sweepNow()).toEqual(NOTHING_SWEPT);
});

test('a sweep that is aborted starts nothing more', async () => {
  const id = await jobWithoutRun(UNDISPATCHED);
  expect(await sweep(deps.sweeping.sweep, AbortSignal.abort())).toEqual(NOTHING_SWEPT);
  expect(await isRunning(id)).toBe(false);
});

describe('a job that was never handed to Temporal', () => {
  test('gets one run', async () => {
    const id = await jobWithoutRun(UNDISPATCHED);
    expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, started: 1 });
    expect(await isRunning(id)).toBe(true);
    expect((await columnsOf(id))['dispatched_at']).not.toBeNull();
    expect(await sweepNow()).toEqual(NOTHING_SWEPT);
  });

  test('keeps its run when only the note of its start was lost', async () => {
    const id = await job(UNDISPATCHED);
    const { runId } = await gateway.temporal.workflow.getHandle(id).describe();
    expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, started: 1 });
    expect((await gateway.temporal.workflow.getHandle(id).describe()).runId).toBe(runId);
  });

  test('stays untouched while it is young', async () => {
    await jobWithoutRun('dispatched_at = null');
    expect(await sweepNow()).toEqual(NOTHING_SWEPT);
  });
});

describe('a job long past its deadline', () => {
  test('expires unbilled with one webhook when it has no run', async () => {
    const id = await jobWithoutRun(OVERDUE);
    expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, settled: 1 });
    expect(await factsOf(gateway, id)).toMatchObject({
      status: 'expired',
      failureCode: 'deadline_exceeded',
      generations: [{ status: 'expired', costNanos: '0' }],
      events: [`${id}-expired`],
    });
    expect(await sweepNow()).toEqual(NOTHING_SWEPT);
  });

  test.each<[string, FaultInput[], boolean]>([
    ['which is asked to stop', [], true],
    ['which fails to stop', [{ kind: 'status', on: 'delete', status: 500 }], false],
    ['which hangs', [{ kind: 'hang', on: 'delete' }], false],
  ])('expires when it runs at a provider %s', async (_, faults, confirmed) => {
    const id = await acceptedJob(faults);
    expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, settled: 1 });
    expect((await factsOf(gateway, id)).status).toBe('expired');
    expect(stops(id)).toHaveLength(1);
    const { rows } = await gateway.database.query(
      'select closed_at is not null confirmed from job_submissions',
    );
    expect(rows).toEqual([{ confirmed }]);
  });

  test('asks a hanging provider once for all of its jobs and still expires', async () => {
    const ids = [];
    for (let i = 0; i < 3; i += 1) ids.push(await acceptedJob([{ kind: 'hang', on: 'delete' }]));
    expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, settled: 3 });
    expect(ids.flatMap(stops)).toHaveLength(1);
  });

  test('stays in progress while it has a run', async () => {
    const id = await job(OVERDUE);
    expect(await sweepNow()).toEqual(NOTHING_SWEPT);
    expect((await factsOf(gateway, id)).status).toBe('in_progress');
  });
});

describe('a webhook without a run', () => {
  async function expiredJob(): Promise<string> {
    const id = await jobWithoutRun(OVERDUE);
    await sweepNow();
    return id;
  }

  test('starts once it is older than the grace', async () => {
    const jobId = await expiredJob();
    expect(await sweepNow()).toEqual(NOTHING_SWEPT);
    await gateway.database.query(`update webhook_deliveries set created_at = ${LONG_AGO}`);
    expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, webhooks: 1 });
    const { id } = await deliveryOf(gateway, jobId);
    expect(await isRunning(`webhook-${id}`)).toBe(true);
    expect(await sweepNow()).toEqual(NOTHING_SWEPT);
  });

  test('becomes a replay when its run was lost', async () => {
    const jobId = await expiredJob();
    const { id } = await deliveryOf(gateway, jobId);
    await gateway.database.query(`update webhook_deliveries set dispatched_at = ${LONG_AGO}`);
    expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, requeued: 1 });
    expect(await deliveryOf(gateway, jobId)).toMatchObject({ status: 'pending', replays: 1 });
    await gateway.database.query(`update webhook_deliveries set created_at = ${LONG_AGO}`);
    expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, webhooks: 1 });
    expect(await isRunning(`webhook-${id}-r1`)).toBe(true);
  });

  test('refreshes its time of dispatch while its run is alive', async () => {
    await expiredJob();
    await gateway.database.query(`update webhook_deliveries set created_at = ${LONG_AGO}`);
    await sweepNow();
    await gateway.database.query(`update webhook_deliveries set dispatched_at = ${LONG_AGO}`);
    expect(await sweepNow()).toEqual(NOTHING_SWEPT);
    const { rows } = await gateway.database.query(
      `select dispatched_at > now() - interval '1 minute' fresh from webhook_deliveries`,
    );
    expect(rows).toEqual([{ fresh: true }]);
  });
});

test('an event about no job is started, and replayed when its run is lost', async () => {
  await gateway.database.query('update workspaces set default_callback_url = $2 where id = $1', [
    gateway.workspaceId,
    'http://127.0.0.1:9/hook',
  ]);
  const { id } = (await commitEvent(gateway, deps.knex))!;
  expect(await sweepNow()).toEqual(NOTHING_SWEPT);
  await gateway.database.query(`update webhook_deliveries set created_at = ${LONG_AGO}`);
  expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, webhooks: 1 });
  expect(await isRunning(`webhook-${id}`)).toBe(true);
  expect(await sweepNow()).toEqual(NOTHING_SWEPT);
  await gateway.temporal.workflow.getHandle(`webhook-${id}`).terminate();
  await gateway.database.query(`update webhook_deliveries set dispatched_at = ${LONG_AGO}`);
  expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, requeued: 1 });
  expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, webhooks: 1 });
  expect(await isRunning(`webhook-${id}-r1`)).toBe(true);
});

describe('a job that was started and never claimed', () => {
  test('starts at the next sweep when Temporal does not know it', async () => {
    const id = await jobWithoutRun(`${UNCLAIMED}, created_at = ${LONG_AGO}`);
    expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, released: 1 });
    expect((await columnsOf(id))['dispatched_at']).toBeNull();
    expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, started: 1 });
    expect(await isRunning(id)).toBe(true);
  });

  test('waits when its run waits', async () => {
    await job(UNCLAIMED);
    expect(await sweepNow()).toEqual(NOTHING_SWEPT);
  });
});

describe('a job that was claimed and has reported nothing since', () => {
  test.each(['pending', 'in_progress'])(
    'gets a new run when its own is gone and its status is %s',
    async (status) => {
      const id = await jobWithoutRun(`${UNHEARD_OF}, status = '${status}'`);
      expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, adopted: 1 });
      expect(await isRunning(id)).toBe(true);
      expect((await columnsOf(id))['run_id']).toBeNull();
      expect(await sweepNow()).toEqual(NOTHING_SWEPT);
    },
  );

  test('refreshes its time of update while its run is alive', async () => {
    const id = await job(UNHEARD_OF);
    expect(await sweepNow()).toEqual(NOTHING_SWEPT);
    const { updated_at: updatedAt, run_id: runId } = await columnsOf(id);
    expect(Date.now() - (updatedAt as Date).getTime()).toBeLessThan(60_000);
    expect(runId).toBe('gone');
  });
});

test('a row that cannot be updated does not stop the sweep of other rows', async () => {
  const ids = [];
  for (let i = 0; i < 3; i += 1) ids.push(await jobWithoutRun(OVERDUE));
  await gateway.database.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$;
     create trigger refuse before update on video_jobs for each row when (old.id = '${ids[0]}')
       execute function refuse()`,
  );
  expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, settled: 2 });
  await gateway.database.query('drop function refuse cascade');
  expect(await sweepNow()).toEqual({ ...NOTHING_SWEPT, settled: 1 });
});

test('three concurrent sweeps do everything once', async () => {
  for (const columns of [UNDISPATCHED, OVERDUE, UNCLAIMED, UNHEARD_OF]) {
    for (let i = 0; i < 3; i += 1) await jobWithoutRun(columns);
  }
  await Promise.all([sweepNow(), sweepNow(), sweepNow()]);
  const { rows } = await gateway.database.query<{ id: string; status: string }>(
    'select id, status from video_jobs',
  );
  expect(rows.filter(({ status }) => status === 'expired')).toHaveLength(3);
  expect((await ledgerSums(gateway))['generations']).toEqual({ usageNanos: '0', requests: '3' });
  await gateway.database.query(`update video_jobs set created_at = ${LONG_AGO}`);
  const open = rows.filter(({ status }) => status !== 'expired');
  // A sweep leaves some of the starts to the next one, while no worker claims what was started.
  await eventually('a run of every open job', async () => {
    await Promise.all([sweepNow(), sweepNow()]);
    const running = await Promise.all(open.map(({ id }) => isRunning(id)));
    return running.every(Boolean) || undefined;
  });
  const { rows: webhooks } = await gateway.database.query('select replays from webhook_deliveries');
  expect(webhooks).toEqual([{ replays: 0 }, { replays: 0 }, { replays: 0 }]);
});
