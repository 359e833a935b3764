/** Turns the staged reading of a source into the stored people and groups, and plans which people change. */
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createGroupSyncStore, type GoneGroups } from '../../../db/directory/group-sync-store.ts';
import type { ClaimedJob } from '../../../db/directory/job-run-store.ts';
import { createPersonSyncStore } from '../../../db/directory/person-sync-store.ts';
import { createPlanStore } from '../../../db/directory/plan-store.ts';
import type { StagedScope } from '../../../db/directory/staged-sql.ts';
import type { SyncWarning } from '../../../domain/directory/job.ts';
import { requireSource } from './require-source.ts';

/** The most groups that a warning names. */
const NAMES_SHOWN = 10;

/** Plans the people, and stores the groups. The mappings of deleted groups are deleted too, each with an audit row. */
export async function planStaged(
  transaction: Handle,
  claimed: ClaimedJob,
): Promise<{ deleted: number; warnings: SyncWarning[] }> {
  await requireSource(transaction, claimed);
  const scope = scopeOf(claimed);
  const groups = createGroupSyncStore(transaction);
  await groups.writeChanges(scope);
  await createPlanStore(transaction).planStaged(scope);
  await groups.store(scope);
  await groups.storeUnknownMembers(scope);
  await createPersonSyncStore(transaction).hideMissing(scope);
  const gone = await groups.hideMissing(scope);
  const { organizationId } = scope;
  const entries = gone.mappingIds.map((id) => ({
    action: 'deleteScimGroupMapping',
    target: `scim/group-mappings/${id}`,
  }));
  await createAuditStore(transaction).insert({ organizationId, isSystem: true }, ...entries);
  return { deleted: gone.count, warnings: gone.mappingIds.length === 0 ? [] : [mappingsDeleted(gone)] };
}

function mappingsDeleted({ mappingIds, mappedNames }: GoneGroups): SyncWarning {
  const shown = mappedNames.slice(0, NAMES_SHOWN).map((name) => name.slice(0, 100));
  const others = mappedNames.length - shown.length;
  const names = [...shown, ...(others === 0 ? [] : [`${others} others`])].join(', ');
  const message = `The source has deleted groups that were mapped: ${names}. Their mappings are deleted: ${mappingIds.length}.`;
  return { reason: 'mappings_deleted', message };
}

export function scopeOf({ job }: ClaimedJob): StagedScope {
  return { jobId: job.id, organizationId: job.organizationId, isFull: job.isFull };
}
