import assert from 'node:assert/strict';
import type { ScimSyncJobRecord } from '../../contract/directory/sync-job.ts';
import type { Caller } from './caller.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';
import type { ScimSource } from './scim-source.ts';

export type SyncJobRecord = ScimSyncJobRecord;

/** Sets this source for the organization of the caller. */
export async function putSource(manager: Caller, { baseUrl, token }: ScimSource): Promise<void> {
  const body = { type: 'scim', base_url: baseUrl, token, interval_minutes: 1_440 };
  const response = await manager.call('PUT', '/scim/source', { body });
  assert.equal(response.status, 200);
}

/** Waits until the newest job has ended. */
export function syncEnded(manager: Caller): Promise<SyncJobRecord> {
  return eventually('the end of the sync', async () => {
    const response = await manager.call('GET', '/scim/sync-jobs?limit=1');
    const { data } = (await response.json()) as { data: SyncJobRecord[] };
    return data[0]?.finished_at === null ? undefined : data[0];
  });
}

/** Asks for a sync and waits for its end. */
export async function synced(manager: Caller, query = ''): Promise<SyncJobRecord> {
  const response = await manager.call('POST', `/scim/sync-jobs${query}`);
  assert.equal(response.status, 202);
  await response.text();
  return syncEnded(manager);
}

/**
 * Sets this source and asks for a sync. Returns the id of its first one: that, or the scheduled one that began before.
 */
export async function beginFirstSync(manager: Caller, source: ScimSource): Promise<string> {
  await putSource(manager, source);
  const response = await manager.call('POST', '/scim/sync-jobs');
  assert.equal(response.status, 202);
  await response.text();
  const jobs = await manager.call('GET', '/scim/sync-jobs');
  return ((await jobs.json()) as { data: SyncJobRecord[] }).data.at(-1)!.id;
}

/** Waits for the end of this sync, also while Postgres is away; a scheduled one may follow it. */
export function syncJobEnded(manager: Caller, jobId: string): Promise<SyncJobRecord> {
  return eventually('the end of the sync', async () => {
    const response = await manager.call('GET', `/scim/sync-jobs/${jobId}`);
    const { data } = (await response.json()) as { data?: SyncJobRecord };
    return data === undefined || data.finished_at === null ? undefined : data;
  });
}

/** SQL: the number of rows that syncs keep only while they run. */
export const STAGED_ROWS = `((select count(*) from directory_stage_people) + (select count(*) from directory_stage_groups)
  + (select count(*) from directory_stage_members) + (select count(*) from directory_job_people))::integer`;

/** Waits until no sync is open, and counts the rows that syncs keep only while they run. */
export function stagedRows({ database }: Pick<Gateway, 'database'>): Promise<number> {
  return eventually('the end of all syncs', async () => {
    const { rows } = await database.query<{ open: number; staged: number }>(
      `select (select count(*) from directory_jobs where state in ('queued', 'running'))::int open,
              ${STAGED_ROWS} staged`,
    );
    return rows[0]!.open === 0 ? rows[0]!.staged : undefined;
  });
}
