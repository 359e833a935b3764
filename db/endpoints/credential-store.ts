/** Stores the vendor keys that customers bring, and their order. */
import { MAX_SORT_ORDER } from '../../domain/endpoints/byok-credential.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import {
  columnsOf,
  type CredentialColumns,
  type CredentialRow,
  type SealedCredential,
  toCredential,
} from './credential-rows.ts';

/** A new credential. Its place in the order is computed from the stored ones. */
export type NewCredential = Omit<SealedCredential, 'sortOrder' | 'createdAt'>;

/** The credentials that share one limit and one order. A null workspace means the organization-wide ones. */
export interface CredentialSet {
  organizationId: string;
  workspaceId: string | null;
}

export interface CredentialFilter {
  /** Organization-wide credentials are included, because the workspace uses them. */
  workspaceId: string;
  providerSlug?: string | undefined;
}

/** Stores customers' vendor keys, encrypted. An organization sees only its own. */
export function createCredentialStore(handle: Handle) {
  return {
    ...credentialReads(handle),
    ...credentialRemovals(handle),

    /** Inserts a credential at the end of its set. The caller holds the lock of the set. */
    async insert({
      id,
      organizationId,
      workspaceId,
      providerSlug,
      ...fields
    }: NewCredential): Promise<SealedCredential> {
      const last = await inSet(handle, { organizationId, workspaceId })
        .max<{ last: number | null }>({
          last: 'sort_order',
        })
        .first();
      const now = handle.raw('clock_timestamp()');
      const [row] = await handle('byok_credentials')
        .insert({
          ...columnsOf(fields),
          id,
          organization_id: organizationId,
          workspace_id: workspaceId,
          provider_slug: providerSlug,
          sort_order: Math.min((last?.last ?? -1) + 1, MAX_SORT_ORDER),
          created_at: now,
          updated_at: now,
        })
        .returning<CredentialRow[]>('*');
      if (row === undefined) throw new Error('insert returned no row');
      return toCredential(row);
    },

    async update(id: string, changes: CredentialColumns): Promise<SealedCredential> {
      const [row] = await handle('byok_credentials')
        .where({ id })
        .update({ ...columnsOf(changes), updated_at: handle.raw('clock_timestamp()') })
        .returning<CredentialRow[]>('*');
      if (row === undefined) throw new Error('update found no row');
      return toCredential(row);
    },
  };
}

/** Builds the methods that read credentials. */
function credentialReads(handle: Handle) {
  return {
    async find(organizationId: string, id: string): Promise<SealedCredential | null> {
      const row = await credentials(handle).where({ organization_id: organizationId, id }).first();
      return row === undefined ? null : toCredential(row);
    },

    /** Returns a credential and locks it until the commit. */
    async lock(organizationId: string, id: string): Promise<SealedCredential | null> {
      const row = await credentials(handle)
        .where({ organization_id: organizationId, id })
        .forNoKeyUpdate()
        .first();
      return row === undefined ? null : toCredential(row);
    },

    /** Makes other transactions that add organization-wide credentials wait until the commit. */
    async lockOrganizationWide(organizationId: string): Promise<void> {
      await handle.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
        `byok_credentials ${organizationId}`,
      ]);
    },

    /** Lists credentials in the order in which they are tried. */
    async list(
      organizationId: string,
      { workspaceId, providerSlug }: CredentialFilter,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ credentials: SealedCredential[]; totalCount: number }> {
      const filtered = () =>
        credentials(handle)
          .where({ organization_id: organizationId })
          .where((place) => void place.where({ workspace_id: workspaceId }).orWhereNull('workspace_id'))
          .where(providerSlug === undefined ? {} : { provider_slug: providerSlug });
      const rows = await filtered()
        .orderBy('sort_order')
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .offset(offset);
      const count = await filtered().count<{ n: string }>({ n: '*' }).first();
      return { credentials: rows.map(toCredential), totalCount: Number(count?.n ?? 0) };
    },

    async count(set: CredentialSet): Promise<number> {
      const count = await inSet(handle, set).count<{ n: string }>({ n: '*' }).first();
      return Number(count?.n ?? 0);
    },
  };
}

/** Builds the methods that delete credentials. */
function credentialRemovals(handle: Handle) {
  return {
    /** Deletes the row with its secret. Returns whether the organization had the credential. */
    async delete(organizationId: string, id: string): Promise<boolean> {
      const deleted = await credentials(handle).where({ organization_id: organizationId, id }).delete();
      return deleted > 0;
    },

    /** Deletes the credentials of a workspace and returns their ids. */
    async deleteAllOf(workspaceId: string): Promise<string[]> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        'delete from byok_credentials where workspace_id = ? returning id',
        [workspaceId],
      );
      return rows.map(({ id }) => id);
    },
  };
}

function inSet(handle: Handle, { organizationId, workspaceId }: CredentialSet) {
  return credentials(handle).where({ organization_id: organizationId, workspace_id: workspaceId });
}

function credentials(handle: Handle) {
  return handle<CredentialRow>('byok_credentials');
}
