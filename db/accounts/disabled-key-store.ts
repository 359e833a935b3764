/** Remembers which keys the directory disabled when people left, so that an operator can enable them again. */
import type { Handle } from '../postgres/connection.ts';
import { bool, type RowOf, selectList, text } from '../postgres/shape.ts';
import { sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf, run } from '../postgres/statement.ts';

/** A key that the directory disabled when its owner left. */
const DISABLED_KEY = {
  hash: text,
  name: text,
  userId: text,
  /** True: the owner is in the key's workspace again. */
  isOwnerBack: bool,
};
export type DisabledKey = RowOf<typeof DISABLED_KEY>;

/** Selects the disabled keys of one user, or the keys that one job disabled. */
export type DisabledBy = { userId: string } | { jobId: string };

/** SQL: the owner is in the workspace again. Every member of the organization is in its default workspace. */
const IS_OWNER_BACK = `m.user_id is not null and (w.is_default
  or exists (select from workspace_members h where h.workspace_id = w.id and h.user_id = m.user_id)
  or exists (select from directory_memberships p where p.workspace_id = w.id and p.user_id = m.user_id))`;

const COLUMNS = selectList(DISABLED_KEY, 'k', { userId: 'd.user_id', isOwnerBack: IS_OWNER_BACK });

/**
 * Stores which keys the directory disabled. The record of a key is deleted when somebody enables or disables the key.
 */
export function createDisabledKeyStore(handle: Handle) {
  return {
    /** Returns the keys and locks them by id, the order in which every transaction locks keys. */
    async lock(organizationId: string, by: DisabledBy): Promise<DisabledKey[]> {
      const disabledBy = 'userId' in by ? sql`d.user_id = ${by.userId}` : sql`d.job_id = ${by.jobId}`;
      return rowsOf(
        handle,
        DISABLED_KEY,
        sql`select ${trustedText(COLUMNS)}
          from directory_disabled_keys d
          join api_keys k on k.hash = d.key_hash and k.deleted_at is null
          join workspaces w on w.id = k.workspace_id
          left join organization_members m on m.organization_id = d.organization_id and m.user_id = d.user_id
          where d.organization_id = ${organizationId} and ${disabledBy} order by k.id for no key update of k`,
      );
    },

    /** Removes the record that the directory disabled these keys. */
    async forget(...hashes: string[]): Promise<void> {
      await run(handle, 'delete from directory_disabled_keys where key_hash = any(:hashes)', { hashes });
    },
  };
}
