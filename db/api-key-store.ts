import type { Nanos } from '../domain/money.ts';
import type { Principal } from '../domain/principal.ts';
import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export type LimitReset = 'daily' | 'weekly' | 'monthly';

export interface NewApiKey {
  hash: string;
  label: string;
  name: string;
  kind: Principal['kind'];
  organizationId: string;
  workspaceId: string;
  creatorUserId?: string;
  identitySubject?: string;
  expiresAt?: Date;
  limitNanos?: Nanos;
  limitReset?: LimitReset;
}

export interface ApiKeyRecord extends Principal {
  name: string;
  disabled: boolean;
  limitNanos: Nanos | null;
  limitReset: LimitReset | null;
  includeByokInLimit: boolean;
  createdAt: Date;
}

interface ApiKeyRow {
  id: string;
  hash: string;
  kind: Principal['kind'];
  name: string;
  label: string;
  organization_id: string;
  workspace_id: string;
  intern_id: string | null;
  creator_user_id: string | null;
  identity_subject: string | null;
  external_user: string | null;
  disabled: boolean;
  expires_at: Date | null;
  limit_nanos: string | null;
  limit_reset: LimitReset | null;
  include_byok_in_limit: boolean;
  created_at: Date;
}

/** Reads and writes `api_keys`. Tokens never come here: only their hashes. */
export function createApiKeyStore(handle: Handle) {
  return {
    async insert(key: NewApiKey): Promise<ApiKeyRecord> {
      const [row] = await handle<ApiKeyRow>('api_keys')
        .insert({
          hash: key.hash,
          label: key.label,
          name: key.name,
          kind: key.kind,
          organization_id: key.organizationId,
          workspace_id: key.workspaceId,
          creator_user_id: key.creatorUserId ?? null,
          identity_subject: key.identitySubject ?? null,
          expires_at: key.expiresAt ?? null,
          limit_nanos: key.limitNanos?.toString() ?? null,
          limit_reset: key.limitReset ?? null,
        })
        .returning('*');
      if (row === undefined) throw new Error('insert returned no row');
      return toRecord(row);
    },

    async findByHash(hash: string): Promise<ApiKeyRecord | null> {
      const row = await handle<ApiKeyRow>('api_keys').where({ hash }).first();
      return row === undefined ? null : toRecord(row);
    },

    /** The key as it is now, and whether its organization must have credit. */
    async findWithTerms(hash: string): Promise<{ key: ApiKeyRecord; creditEnforcement: boolean } | null> {
      const [row] = await rowsOf<ApiKeyRow & { credit_enforcement: boolean }>(
        handle,
        `select k.*, o.credit_enforcement from api_keys k join organizations o on o.id = k.organization_id
         where k.hash = ?`,
        [hash],
      );
      return row === undefined ? null : { key: toRecord(row), creditEnforcement: row.credit_enforcement };
    },

    async listOfOrganization(organizationId: string): Promise<ApiKeyRecord[]> {
      const rows = await handle<ApiKeyRow>('api_keys')
        .where({ organization_id: organizationId })
        .orderBy('created_at', 'desc');
      return rows.map(toRecord);
    },

    /** False when there is no such key in the organization. */
    async setDisabled(organizationId: string, hash: string, disabled: boolean): Promise<boolean> {
      const rows = await rowsOf<{ hash: string }>(
        handle,
        `update api_keys set disabled = ?, updated_at = now() where organization_id = ? and hash = ?
         returning hash`,
        [disabled, organizationId, hash],
      );
      return rows.length > 0;
    },
  };
}

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

function toRecord(row: ApiKeyRow): ApiKeyRecord {
  return {
    keyId: Number(row.id),
    keyHash: row.hash,
    kind: row.kind,
    name: row.name,
    label: row.label,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    disabled: row.disabled,
    limitNanos: row.limit_nanos === null ? null : BigInt(row.limit_nanos),
    limitReset: row.limit_reset,
    includeByokInLimit: row.include_byok_in_limit,
    createdAt: row.created_at,
    ...(row.intern_id === null ? {} : { internId: row.intern_id }),
    ...(row.creator_user_id === null ? {} : { creatorUserId: row.creator_user_id }),
    ...(row.identity_subject === null ? {} : { identitySubject: row.identity_subject }),
    ...(row.external_user === null ? {} : { externalUser: row.external_user }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
  };
}
