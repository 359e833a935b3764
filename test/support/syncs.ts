import { expect } from '@jest/globals';
import type { ScimSyncJobRecord } from '../../contract/directory/sync-job.ts';
import type { Caller } from './caller.ts';
import { eventually } from './eventually.ts';
import type { ScimSource } from './scim-source.ts';

export type SyncJobRecord = ScimSyncJobRecord;

/** Sets this source for the organization of the caller. */
export async function putSource(manager: Caller, { baseUrl, token }: ScimSource): Promise<void> {
  const body = { type: 'scim', base_url: baseUrl, token, interval_minutes: 1_440 };
  const response = await manager.call('PUT', '/scim/source', { body });
  expect(response.status).toBe(200);
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
  expect(response.status).toBe(202);
  await response.text();
  return syncEnded(manager);
}
