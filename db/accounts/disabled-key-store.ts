/** Remembers which keys the directory disabled when people left, so that an operator can enable them again. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** A key that the directory disabled when its owner left. */
export interface DisabledKey {
  hash: string;
  name: string;
  userId: string;
  /** True: the owner is in the key's workspace again. */
  isOwnerBack: boolean;
}

/** Selects the disabled keys of one user, or the keys that one job disabled. */
export type DisabledBy = { userId: string } | { jobId: string };

/** SQL: the owner is in the workspace again. Every member of the organization is in its default workspace. */
const IS_OWNER_BACK = `m.user_id is not null and (w.is_default
  or exists (select from workspace_members h where h.workspace_id = w.id and h.user_id = m.user_id)
  or exists (select from directory_memberships p where p.workspace_id = w.id and p.user_id = m.user_id))`;

/**
 * Stores which keys the directory disabled. The record of a key is deleted when somebody enables or disables the key.
 */
export function createDisabledKeyStore(handle: Handle) {
  return {
    /** Returns the keys and locks them by id, the order in which every transaction locks keys. */
    async lock(organizationId: string, by: DisabledBy): Promise<DisabledKey[]> {
      const [condition, value] =
        'userId' in by ? ['d.user_id = :value', by.userId] : ['d.job_id = cast(:value as uuid)', by.jobId];
      return uncheckedRowsOf<DisabledKey>(
        handle,
        `select k.hash, k.name, d.user_id "userId", ${IS_OWNER_BACK} "isOwnerBack"
         from directory_disabled_keys d
         join api_keys k on k.hash = d.key_hash and k.deleted_at is null
         join workspaces w on w.id = k.workspace_id
         left join organization_members m on m.organization_id = d.organization_id and m.user_id = d.user_id
         where d.organization_id = :organizationId and ${condition} order by k.id for no key update of k`,
        { organizationId, value },
      );
    },

    /** Removes the record that the directory disabled these keys. */
    async forget(...hashes: string[]): Promise<void> {
      await handle('directory_disabled_keys').whereIn('key_hash', hashes).delete();
    },
  };
}
