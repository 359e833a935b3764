/** Turns the source of a directory, with its last sync, into the record that responses show. */
import type { ScimSourceRecord } from '../../contract/directory/source.ts';
import type { ShownSource } from '../../services/directory/source-service.ts';

export function presentScimSource({ source, lastJob, managedPeople, held }: ShownSource): ScimSourceRecord {
  const isPulled = source.type === 'scim';
  return {
    type: source.type,
    base_url: source.baseUrl,
    token_hint: source.tokenHint,
    interval_minutes: isPulled ? source.intervalMinutes : null,
    scim_disable_keys: source.disableKeys,
    next_sync_at: source.nextSyncAt?.toISOString() ?? null,
    last_full_sync_at: source.fullSyncAt?.toISOString() ?? null,
    last_sync_job: lastJob && {
      id: lastJob.id,
      status: lastJob.state,
      error_reason: lastJob.errorReason,
      created_at: lastJob.createdAt.toISOString(),
      finished_at: lastJob.finishedAt?.toISOString() ?? null,
    },
    managed_people: managedPeople,
    held_removals: { count: held.count, since: held.since?.toISOString() ?? null },
    updated_at: source.updatedAt?.toISOString() ?? null,
  };
}
