import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSourceStore } from '../../../../db/directory/source-store.ts';
import { MAX_RESTARTS } from '../../../../domain/directory/limits.ts';
import type { SyncDirectoryInput } from '../../../../domain/runs.ts';
import { createLogger } from '../../../../platform/logger.ts';
import { sweepSyncs, type SweepSyncsDeps } from '../../../../services/directory/sync/sweep-syncs.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../../../support/sync-scene.ts';

let scene: SyncScene;
let organization: SyncedOrganization;
let started: SyncDirectoryInput[];
/** The answer of Temporal about runs. */
let runState: 'running' | 'closed' | 'unknown';

beforeAll(async () => {
  scene = await createSyncScene();
});

beforeEach(async () => {
  const { knex } = scene.directory;
  await knex('directory_jobs').delete();
  await knex('scim_sources').delete();
  await knex('directory_people').update({ pending: null });
  organization = await scene.newSynced();
  started = [];
  runState = 'unknown';
});

afterAll(() => scene.close());

/** Temporal is away when `isAway`. */
function sweep({ isAway = false } = {}): Promise<number> {
  const deps: SweepSyncsDeps = {
    knex: scene.directory.knex,
    logger: createLogger({ level: 'fatal', name: 'test' }),
    graceMs: 0,
    unclaimedAfterMs: 30_000,
    runs: {
      async startDirectorySync(input) {
        if (isAway) throw new Error('Temporal is away');
        started.push(input);
      },
      describe: async () => runState,
    },
  };
  return sweepSyncs(deps, { limitMs: 10_000 });
}

function changeJob(id: string, sql: string): Promise<unknown> {
  return scene.directory.knex.raw(`update directory_jobs set ${sql} where id = ?`, [id]);
}

async function jobs(): Promise<{ id: string; trigger: string; is_full: boolean; state: string }[]> {
  return scene.directory
    .knex('directory_jobs')
    .where({ organization_id: organization.id })
    .orderBy('created_at');
}

describe('the sweep', () => {
  test('begins a full sync of an unread source and moves its schedule on', async () => {
    await organization.connect();
    expect(await sweep()).toBe(1);
    const [job] = await jobs();
    expect(job).toMatchObject({ trigger: 'schedule', is_full: true });
    expect(started).toEqual([{ jobId: job!.id, organizationId: organization.id }]);
    const { nextSyncAt } = await createSourceStore(scene.directory.knex).find(organization.id);
    expect(nextSyncAt!.getTime()).toBeGreaterThan(Date.now());
  });

  test.each([
    { interval: 60, hours: 22.9, isFull: false },
    { interval: 60, hours: 23.1, isFull: true },
    { interval: 720, hours: 11.9, isFull: false },
    { interval: 720, hours: 12.1, isFull: true },
    { interval: 1_440, hours: 0.1, isFull: true },
  ])(
    'plans at $interval minutes, $hours h after a full sync, a full one: $isFull',
    async ({ interval, hours, isFull }) => {
      await organization.connect();
      const fullSyncAt = new Date(Date.now() - hours * 3_600_000);
      await scene.directory
        .knex('scim_sources')
        .update({ next_sync_at: new Date(0), interval_minutes: interval, full_sync_at: fullSyncAt });
      await sweep();
      expect(await jobs()).toMatchObject([{ is_full: isFull }]);
    },
  );

  test('keeps a due schedule while Temporal is unreachable', async () => {
    await organization.connect();
    expect(await sweep({ isAway: true })).toBe(0);
    expect(await jobs()).toHaveLength(1);
    await sweep();
    expect(started).toHaveLength(1);
    expect(await jobs()).toHaveLength(1);
  });

  test('retries a source within two minutes while another job is in the way', async () => {
    await organization.begin({ dryRun: true });
    await organization.connect();
    await sweep();
    expect(await jobs()).toHaveLength(1);
    const { nextSyncAt } = await createSourceStore(scene.directory.knex).find(organization.id);
    expect(nextSyncAt!.getTime()).toBeLessThan(Date.now() + 120_000);
  });

  test('starts a job that has no run', async () => {
    const { id } = await organization.begin();
    expect(await sweep()).toBe(1);
    expect(started).toEqual([{ jobId: id, organizationId: organization.id }]);
  });

  test('begins a job for people who are pending without one', async () => {
    const personId = await organization.addPerson({ userName: 'ann' });
    await organization.change(personId, { pending: 'guarded' });
    expect(await sweep()).toBe(1);
    expect(await jobs()).toMatchObject([{ trigger: 'push', is_full: false }]);
  });

  test('replaces a closed run and leaves a running one alone', async () => {
    const { id } = await organization.begin();
    await changeJob(
      id,
      `state = 'running', run_id = 'a', started_at = now(), dispatched_at = now() - interval '1 minute'`,
    );
    runState = 'running';
    expect(await sweep()).toBe(0);
    await changeJob(id, `dispatched_at = now() - interval '1 minute'`);
    runState = 'closed';
    expect(await sweep()).toBe(1);
    expect(started).toHaveLength(1);
    expect(await organization.job(id)).toMatchObject({ state: 'queued' });
  });

  test('fails a job with the code internal after too many of its runs were lost', async () => {
    const { id } = await organization.begin();
    for (let n = 0; n <= MAX_RESTARTS; n += 1) {
      await changeJob(id, `dispatched_at = now() - interval '1 minute'`);
      await sweep();
    }
    expect(started).toHaveLength(MAX_RESTARTS);
    expect(await organization.job(id)).toMatchObject({ state: 'failed', errorReason: 'internal' });
  });

  test('fails a job as timed_out when its run is lost after seven hours', async () => {
    const { id } = await organization.begin();
    await changeJob(
      id,
      `state = 'running', run_id = 'a', started_at = now() - interval '7 hours', dispatched_at = now() - interval '1 minute'`,
    );
    expect(await sweep()).toBe(1);
    expect(await organization.job(id)).toMatchObject({ state: 'failed', errorReason: 'timed_out' });
  });
});
