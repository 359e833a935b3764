/**
 * Finds API keys by the hash of their token, together with the limits that apply to them, and inserts, changes and
 * deletes keys.
 */
import type { Nanos } from '../../domain/money.ts';
import type { Principal } from '../../domain/principal.ts';
import { ceilingsOf } from '../../domain/ledger/spending-limit.ts';
import type { LimitInterval, LimitReset } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { createDisabledKeyStore } from './disabled-key-store.ts';

export interface NewApiKey {
  hash: string;
  label: string;
  name: string;
  kind: Principal['kind'];
  organizationId: string;
  workspaceId: string;
  /** The intern that owns the key; set only for the kind `intern`. */
  internId?: string | undefined;
  creatorUserId?: string | undefined;
  identitySubject?: string | undefined;
  externalUser?: string | undefined;
  expiresAt?: Date | undefined;
  limitNanos?: Nanos | undefined;
  limitReset?: LimitReset | undefined;
  includeByokInLimit?: boolean | undefined;
  rateLimitRequests?: number | undefined;
}

export interface ApiKeyRecord extends Principal {
  name: string;
  /** True also while the organization is disabled. */
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
  rate_limit_requests: number | null;
  created_at: Date;
}

/** A key with the terms of its organization and workspace, which determine its ceilings. */
interface KeyWithTermsRow extends ApiKeyRow {
  organization_disabled: boolean;
  credit_enforcement: boolean;
  include_byok_in_budgets: boolean;
  workspace_thresholds: number[];
  organization_thresholds: number[] | null;
  budgets: { interval: LimitInterval; limit: string }[] | null;
}

const WITH_TERMS = `
  select k.*, o.disabled_at is not null organization_disabled, o.credit_enforcement, w.include_byok_in_budgets, w.budget_alert_thresholds workspace_thresholds,
    (select d.budget_alert_thresholds from workspaces d
       where d.organization_id = k.organization_id and d.is_default) organization_thresholds,
    (select json_agg(json_build_object('interval', b.interval, 'limit', b.limit_nanos::text)
                     order by b.interval)
       from workspace_budgets b where b.workspace_id = k.workspace_id) budgets
  from api_keys k join organizations o on o.id = k.organization_id join workspaces w on w.id = k.workspace_id
    and w.deleted_at is null`;

/** Reads and writes `api_keys`. It stores hashes of tokens only. Deleted keys are not found. */
export function createApiKeyStore(handle: Handle) {
  return {
    ...keyRemovals(handle),
    ...keySettings(handle),

    async insert(key: NewApiKey): Promise<ApiKeyRecord> {
      await handle('api_keys').insert({
        hash: key.hash,
        label: key.label,
        name: key.name,
        kind: key.kind,
        organization_id: key.organizationId,
        workspace_id: key.workspaceId,
        intern_id: key.internId ?? null,
        creator_user_id: key.creatorUserId ?? null,
        identity_subject: key.identitySubject ?? null,
        external_user: key.externalUser ?? null,
        expires_at: key.expiresAt ?? null,
        limit_nanos: key.limitNanos?.toString() ?? null,
        limit_reset: key.limitReset ?? null,
        include_byok_in_limit: key.includeByokInLimit ?? false,
        rate_limit_requests: key.rateLimitRequests ?? null,
      });
      const inserted = await findByHash(handle, key.hash);
      if (inserted === null) throw new Error('the inserted key is not there');
      return inserted;
    },

    findByHash: (hash: string) => findByHash(handle, hash),

    /**
     * Finds a key by its hash, and prevents the deletion of its workspace until the commit. Waits for a running
     * deletion.
     */
    findAndHold: (hash: string) => find(handle, hash, 'for key share of w'),

    async listOfOrganization(organizationId: string): Promise<ApiKeyRecord[]> {
      const rows = await uncheckedRowsOf<KeyWithTermsRow>(
        handle,
        `${WITH_TERMS} where k.organization_id = ? and k.deleted_at is null order by k.created_at desc`,
        [organizationId],
      );
      return rows.map(toRecord);
    },
  };
}

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

/** Builds the methods that delete keys. */
function keyRemovals(handle: Handle) {
  return {
    /**
     * Deletes a key permanently. Its hash cannot be used again. Returns false if the organization has no such key.
     */
    async remove(organizationId: string, hash: string): Promise<boolean> {
      const rows = await uncheckedRowsOf<{ hash: string }>(
        handle,
        `update api_keys set disabled = true, deleted_at = now(), updated_at = now()
         where organization_id = ? and hash = ? and deleted_at is null returning hash`,
        [organizationId, hash],
      );
      if (rows.length > 0) await createDisabledKeyStore(handle).forget(hash);
      return rows.length > 0;
    },

    /** Removes all keys of an intern, as `remove` does, and returns their hashes. */
    async removeAllOfIntern(internId: string): Promise<string[]> {
      const rows = await uncheckedRowsOf<{ hash: string }>(
        handle,
        `with locked as (
           select hash from api_keys where intern_id = ? and deleted_at is null order by id for no key update
         )
         update api_keys k set disabled = true, deleted_at = now(), updated_at = now()
         from locked where k.hash = locked.hash returning k.hash`,
        [internId],
      );
      const hashes = rows.map(({ hash }) => hash);
      if (hashes.length > 0) await createDisabledKeyStore(handle).forget(...hashes);
      return hashes;
    },
  };
}

/** Builds the methods that change keys. */
function keySettings(handle: Handle) {
  return {
    /**
     * Sets the rate limit of a key; null selects the deployment's default. Returns false if the organization has no
     * such key.
     */
    async setRateLimit(organizationId: string, hash: string, requests: number | null): Promise<boolean> {
      const rows = await uncheckedRowsOf<{ hash: string }>(
        handle,
        `update api_keys set rate_limit_requests = ?, updated_at = now()
         where organization_id = ? and hash = ? and deleted_at is null returning hash`,
        [requests, organizationId, hash],
      );
      return rows.length > 0;
    },

    /** Enables or disables a key. Returns false if the organization has no such key. */
    async setDisabled(organizationId: string, hash: string, disabled: boolean): Promise<boolean> {
      const rows = await uncheckedRowsOf<{ hash: string }>(
        handle,
        `update api_keys set disabled = ?, updated_at = now()
         where organization_id = ? and hash = ? and deleted_at is null returning hash`,
        [disabled, organizationId, hash],
      );
      if (rows.length > 0) await createDisabledKeyStore(handle).forget(hash);
      return rows.length > 0;
    },
  };
}

/** Returns the key with the terms that its organization and workspace set for it. */
function findByHash(handle: Handle, hash: string): Promise<ApiKeyRecord | null> {
  return find(handle, hash, '');
}

async function find(handle: Handle, hash: string, lock: string): Promise<ApiKeyRecord | null> {
  const [row] = await uncheckedRowsOf<KeyWithTermsRow>(
    handle,
    `${WITH_TERMS} where k.hash = ? and k.deleted_at is null ${lock}`,
    [hash],
  );
  return row === undefined ? null : toRecord(row);
}

function toRecord(row: KeyWithTermsRow): ApiKeyRecord {
  const limit = {
    limitNanos: row.limit_nanos === null ? null : BigInt(row.limit_nanos),
    limitReset: row.limit_reset,
    includeByokInLimit: row.include_byok_in_limit,
  };
  const ceilings = ceilingsOf({
    key: limit,
    creditEnforcement: row.credit_enforcement,
    budgets: (row.budgets ?? []).map(({ interval, limit: nanos }) => ({
      interval,
      limitNanos: BigInt(nanos),
    })),
    includeByokInBudgets: row.include_byok_in_budgets,
    alertThresholds: {
      workspace: row.workspace_thresholds,
      organization: row.organization_thresholds ?? [],
    },
  });
  return {
    keyId: Number(row.id),
    keyHash: row.hash,
    kind: row.kind,
    name: row.name,
    label: row.label,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    disabled: row.disabled || row.organization_disabled,
    ...limit,
    createdAt: row.created_at,
    ...(ceilings === undefined ? {} : { ceilings }),
    ...(row.rate_limit_requests === null ? {} : { rateLimitRequests: row.rate_limit_requests }),
    ...(row.intern_id === null ? {} : { internId: row.intern_id }),
    ...(row.creator_user_id === null ? {} : { creatorUserId: row.creator_user_id }),
    ...(row.identity_subject === null ? {} : { identitySubject: row.identity_subject }),
    ...(row.external_user === null ? {} : { externalUser: row.external_user }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
  };
}
