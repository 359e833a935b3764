/** Stores and lists API keys for the operations that manage them. */
import type { KeyChanges, ManagedKey } from '../../domain/accounts/api-key.ts';
import type { LimitReset } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { createDisabledKeyStore } from './disabled-key-store.ts';

export interface KeyFilter {
  organizationId: string;
  workspaceId: string;
  includeDisabled: boolean;
  includeExpired: boolean;
  /** Selects only keys created before the key with this id. */
  beforeId?: number | undefined;
}

interface ManagedKeyRow {
  id: string;
  hash: string;
  name: string;
  label: string;
  organization_id: string;
  workspace_id: string;
  disabled: boolean;
  limit_nanos: string | null;
  limit_reset: LimitReset | null;
  include_byok_in_limit: boolean;
  creator_user_id: string | null;
  external_user: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
  updated_at: Date | null;
}

const COLUMNS = `k.id, k.hash, k.name, k.label, k.organization_id, k.workspace_id, k.disabled, k.limit_nanos,
  k.limit_reset, k.include_byok_in_limit, k.creator_user_id, k.external_user, k.expires_at, k.last_used_at,
  k.created_at, k.updated_at`;

const LIVING = `select ${COLUMNS} from api_keys k where k.deleted_at is null`;

/**
 * Stores the keys that callers manage through the API: regular keys, or those of one intern. An organization sees only
 * its own, without deleted ones.
 */
export function createManagedKeyStore(handle: Handle, internId?: string) {
  const managed = `${LIVING} and ${internId === undefined ? `k.kind = 'regular'` : 'k.intern_id = ?'}`;
  const owner = internId === undefined ? [] : [internId];
  const findBy = async (organizationId: string, hash: string, lock: string): Promise<ManagedKey | null> => {
    const [row] = await uncheckedRowsOf<ManagedKeyRow>(
      handle,
      `${managed} and k.organization_id = ? and k.hash = ? ${lock}`,
      [...owner, organizationId, hash],
    );
    return row === undefined ? null : toManagedKey(row);
  };
  return {
    find: (organizationId: string, hash: string) => findBy(organizationId, hash, ''),

    /** Returns the key and locks it until the commit. */
    lock: (organizationId: string, hash: string) => findBy(organizationId, hash, 'for no key update'),

    /** Lists keys by id, the greatest first. Keys created at the same time may be committed in another order. */
    async list(
      filter: KeyFilter,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<ManagedKey[]> {
      const { organizationId, workspaceId, includeDisabled, includeExpired, beforeId } = filter;
      const rows = await uncheckedRowsOf<ManagedKeyRow>(
        handle,
        `${managed} and k.organization_id = ? and k.workspace_id = ?
           ${includeDisabled ? '' : 'and not k.disabled'}
           ${includeExpired ? '' : 'and (k.expires_at is null or k.expires_at > now())'}
           ${beforeId === undefined ? '' : 'and k.id < ?'}
         order by k.id desc limit ? offset ?`,
        [...owner, organizationId, workspaceId, ...(beforeId === undefined ? [] : [beforeId]), limit, offset],
      );
      return rows.map(toManagedKey);
    },

    async update(hash: string, changes: KeyChanges): Promise<ManagedKey> {
      const { name, disabled, limitNanos, limitReset, includeByokInLimit, workspaceId } = changes;
      const [row] = await handle<ManagedKeyRow>({ k: 'api_keys' })
        .where({ hash })
        .update({
          updated_at: handle.raw('clock_timestamp()'),
          ...(name === undefined ? {} : { name }),
          ...(disabled === undefined ? {} : { disabled }),
          ...(limitNanos === undefined ? {} : { limit_nanos: limitNanos?.toString() ?? null }),
          ...(limitReset === undefined ? {} : { limit_reset: limitReset }),
          ...(includeByokInLimit === undefined ? {} : { include_byok_in_limit: includeByokInLimit }),
          ...(workspaceId === undefined ? {} : { workspace_id: workspaceId }),
        })
        .returning('*');
      if (row === undefined) throw new Error('a locked key is not there');
      if (disabled !== undefined) await createDisabledKeyStore(handle).forget(hash);
      return toManagedKey(row as ManagedKeyRow);
    },
  };
}

function toManagedKey(row: ManagedKeyRow): ManagedKey {
  return {
    id: Number(row.id),
    hash: row.hash,
    name: row.name,
    label: row.label,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    disabled: row.disabled,
    limitNanos: row.limit_nanos === null ? null : BigInt(row.limit_nanos),
    limitReset: row.limit_reset,
    includeByokInLimit: row.include_byok_in_limit,
    creatorUserId: row.creator_user_id,
    externalUser: row.external_user,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
