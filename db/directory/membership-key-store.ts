/** Finds the API keys of people who lost access, and disables them. */
import type { DisableKeys } from '../../domain/directory/source.ts';
import type { Handle } from '../postgres/connection.ts';
import { bool, type RowOf, text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { roomFor } from './membership-lines.ts';
import { NAMES_NOBODY_ELSE_STORED } from './membership-people.ts';
import { keysOfOwners } from './membership-rules.ts';
import type { KeyOwner } from './membership-store.ts';

const LEAVER_KEY = {
  hash: text,
  name: text,
  workspaceId: uuid,
  personId: uuid,
  userId: text,
  isDisabled: bool,
};
/** A key of a person who lost a workspace or the organization. */
export type LeaverKey = RowOf<typeof LEAVER_KEY>;

const OWNER_COLUMNS = `"personId" uuid, "userId" text, "externalId" text, "userName" text, "workspaceId" uuid`;

/** Disables the keys of people who lost a workspace or the organization. */
export function createMembershipKeyStore(handle: Handle, organizationId: string) {
  return {
    /**
     * Returns the owners' keys and locks them by id, the order in which every transaction locks keys. Call it after the
     * memberships are deleted: that waits for requests that create keys, so their keys are included.
     */
    lock: (owners: readonly KeyOwner[], disableKeys: DisableKeys): Promise<LeaverKey[]> =>
      rowsOf(
        handle,
        LEAVER_KEY,
        `with owners as (
           select "personId" person_id, "userId" user_id, "externalId" external_id, "userName" user_name,
             "workspaceId" workspace_id
           from jsonb_to_recordset(cast(:owners as jsonb)) t (${OWNER_COLUMNS})
         ), ${keysOfOwners({ namesNobodyElse: NAMES_NOBODY_ELSE_STORED })}
         select k.hash, k.name, k.workspace_id "workspaceId", t.person_id "personId", t.user_id "userId",
           t.identified or cast(:all as boolean) "isDisabled"
         from owned_keys t join api_keys k on k.hash = t.hash
         where not k.disabled and k.deleted_at is null order by k.id for no key update of k`,
        { organizationId, owners: JSON.stringify(owners), all: disableKeys === 'all' },
      ),

    /** Disables the keys with `isDisabled`, and records a change for every key, including those that stay active. */
    async settle(keys: readonly LeaverKey[], jobId: string | null): Promise<void> {
      await run(
        handle,
        `with given as (
           select * from jsonb_to_recordset(cast(:keys as jsonb)) t
             (hash text, name text, "workspaceId" uuid, "personId" uuid, "userId" text, "isDisabled" boolean)
         ),
         disabled as (
           update api_keys k set disabled = true, updated_at = clock_timestamp()
           from given g where g."isDisabled" and k.hash = g.hash
         ),
         noted as (
           insert into directory_disabled_keys (key_hash, organization_id, user_id, job_id, disabled_at)
           select hash, cast(:organizationId as uuid), "userId", cast(:jobId as uuid), clock_timestamp()
           from given where "isDisabled"
           on conflict (key_hash) do update
             set user_id = excluded.user_id, job_id = excluded.job_id, disabled_at = excluded.disabled_at
         )
         insert into directory_changes
           (organization_id, job_id, kind, user_id, person_id, workspace_id, key_hash, name, from_value, to_value,
            is_removal)
         select cast(:organizationId as uuid), cast(:jobId as uuid), 'key', "userId", "personId", "workspaceId", hash,
           name, 'active', case when "isDisabled" then 'disabled' else 'active' end, false
         from given limit ${roomFor('keys')}`,
        { organizationId, jobId, keys: JSON.stringify(keys) },
      );
    },
  };
}
