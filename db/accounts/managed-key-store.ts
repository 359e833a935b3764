/** Stores and lists API keys for the operations that manage them. */
import type { KeyChanges, ManagedKey } from '../../domain/accounts/api-key.ts';
import { LIMIT_RESETS } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { firstRow, oneRow } from '../postgres/results.ts';
import * as column from '../postgres/shape.ts';
import { columnsOf, type RowOf, selectList } from '../postgres/shape.ts';
import { joined, sql, type Sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf, tables } from '../postgres/statement.ts';
import { createDisabledKeyStore } from './disabled-key-store.ts';

export interface KeyFilter {
  organizationId: string;
  /** Undefined: all workspaces. */
  workspaceId: string | undefined;
  includeDisabled: boolean;
  includeExpired: boolean;
  /** Selects only keys created before the key with this id. */
  beforeId?: number | undefined;
}

const MANAGED_KEY = {
  id: column.int8,
  hash: column.text,
  name: column.text,
  label: column.text,
  organizationId: column.uuid,
  workspaceId: column.uuid,
  disabled: column.bool,
  limitNanos: column.numeric.orNull,
  limitReset: column.oneOf(LIMIT_RESETS).orNull,
  includeByokInLimit: column.bool,
  creatorUserId: column.text.orNull,
  externalUser: column.text.orNull,
  expiresAt: column.timestamptz.orNull,
  lastUsedAt: column.timestamptz.orNull,
  createdAt: column.timestamptz,
  updatedAt: column.timestamptz.orNull,
};
const COLUMNS = selectList(MANAGED_KEY);

/**
 * Stores the keys that callers manage through the API: regular keys, or those of one intern. An organization sees only
 * its own, without deleted ones.
 */
export function createManagedKeyStore(handle: Handle, internId?: string) {
  const owned = internId === undefined ? sql`kind = 'regular'` : sql`intern_id = ${internId}`;
  const managedIn = (organizationId: string): Sql =>
    sql`select ${trustedText(COLUMNS)} from api_keys
      where deleted_at is null and ${owned} and organization_id = ${organizationId}`;
  const findBy = async (organizationId: string, hash: string, lock: string): Promise<ManagedKey | null> => {
    const statement = sql`${managedIn(organizationId)} and hash = ${hash} ${trustedText(lock)}`;
    const row = await firstRow(handle, MANAGED_KEY, statement);
    return row && toManagedKey(row);
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
      const conditions = joined(
        [
          managedIn(organizationId),
          workspaceId === undefined ? undefined : sql`workspace_id = ${workspaceId}`,
          includeDisabled ? undefined : sql`not disabled`,
          includeExpired ? undefined : sql`(expires_at is null or expires_at > now())`,
          beforeId === undefined ? undefined : sql`id < ${beforeId}`,
        ],
        ' and ',
      );
      const statement = sql`${conditions} order by id desc limit ${limit} offset ${offset}`;
      const rows = await rowsOf(handle, MANAGED_KEY, statement);
      return rows.map(toManagedKey);
    },

    async update(hash: string, changes: KeyChanges): Promise<ManagedKey> {
      const columns = { ...columnsOf(changes), updated_at: tables.raw('clock_timestamp()') };
      const statement = tables('api_keys').where({ hash }).update(columns).returning(tables.raw(COLUMNS));
      const row = await oneRow(handle, MANAGED_KEY, statement);
      if (changes.disabled !== undefined) await createDisabledKeyStore(handle).forget(hash);
      return toManagedKey(row);
    },
  };
}

function toManagedKey(row: RowOf<typeof MANAGED_KEY>): ManagedKey {
  const limitNanos = row.limitNanos === null ? null : BigInt(row.limitNanos);
  return { ...row, id: Number(row.id), limitNanos };
}
