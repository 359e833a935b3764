import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSyncRetentionStore } from '../../../db/directory/sync-retention-store.ts';
import { CHANGE_RETENTION_MS } from '../../../domain/directory/job.ts';
import { newUuid } from '../../../domain/ids.ts';
import {
  createDirectoryScene,
  type DirectoryOrganization,
  type DirectoryScene,
} from '../../support/directory-scene.ts';

const HOUR_MS = 3_600_000;
const OLD_MS = CHANGE_RETENTION_MS + HOUR_MS;
const YOUNG_MS = CHANGE_RETENTION_MS - HOUR_MS;

let scene: DirectoryScene;
let organization: DirectoryOrganization;

beforeAll(async () => {
  scene = await createDirectoryScene();
  organization = await scene.newOrganization();
});

beforeEach(async () => {
  await scene.knex('directory_changes').delete();
  await scene.knex('directory_jobs').delete();
});

afterAll(() => scene.close());

const store = () => createSyncRetentionStore(scene.knex);

/** A job with one change. Null: it has not ended. */
async function addJob(endedBeforeMs: number | null): Promise<string> {
  const id = newUuid();
  const endedAt = endedBeforeMs === null ? null : new Date(Date.now() - endedBeforeMs);
  await scene.knex.raw(
    `insert into directory_jobs (id, organization_id, source, trigger, dry_run, allow_deletions, is_full, state,
       created_at, finished_at) values (?, ?, 'pushed', 'request', false, false, true, ?, ?, ?)`,
    [
      id,
      organization.id,
      endedAt === null ? 'running' : 'succeeded',
      new Date(Date.now() - 2 * OLD_MS),
      endedAt,
    ],
  );
  await addChange(0, id);
  return id;
}

async function addChange(beforeMs: number, jobId: string | null = null): Promise<void> {
  await scene.knex.raw(
    `insert into directory_changes (organization_id, job_id, kind, name, is_removal, created_at)
     values (?, ?, 'organization_member', 'ada', true, ?)`,
    [organization.id, jobId, new Date(Date.now() - beforeMs)],
  );
}

const ids = async (table: string, column: string): Promise<(string | null)[]> =>
  (await scene.knex(table).select(column).orderBy(column)).map(
    (row: Record<string, string | null>) => row[column]!,
  );

describe('an ended sync job', () => {
  test('disappears with its changes after 30 days; open jobs stay', async () => {
    await addJob(OLD_MS);
    const stay = [await addJob(YOUNG_MS), await addJob(null)];
    expect(await store().deleteEndedJobs(10)).toBe(1);
    expect(await ids('directory_jobs', 'id')).toEqual(stay.toSorted());
    expect(await ids('directory_changes', 'job_id')).toEqual(stay.toSorted());
    expect(await store().deleteEndedJobs(10)).toBe(0);
  });

  test('disappears in pages, the oldest first', async () => {
    const [, younger] = [await addJob(2 * OLD_MS), await addJob(OLD_MS)];
    expect(await store().deleteEndedJobs(1)).toBe(1);
    expect(await ids('directory_jobs', 'id')).toEqual([younger]);
  });
});

test('directory changes are deleted in pages after 30 days, pushed ones included', async () => {
  await addChange(OLD_MS);
  await addChange(OLD_MS);
  await addChange(YOUNG_MS);
  expect(await store().deleteOldChanges(1)).toBe(1);
  expect(await store().deleteOldChanges(10)).toBe(1);
  expect(await store().deleteOldChanges(10)).toBe(0);
  expect(await ids('directory_changes', 'job_id')).toEqual([null]);
});
