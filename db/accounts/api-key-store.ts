/**
 * Finds API keys by the hash of their token, together with the limits that apply to them, and inserts, changes and
 * deletes keys.
 */
import type { Nanos } from '../../domain/money.ts';
import type { Principal } from '../../domain/principal.ts';
import { ceilingsOf } from '../../domain/ledger/spending-limit.ts';
import { LIMIT_RESETS, type LimitInterval, type LimitReset } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, firstRow } from '../postgres/results.ts';
import * as column from '../postgres/shape.ts';
import { columnsOf, type RowOf, selectList } from '../postgres/shape.ts';
import type { SqlValue } from '../postgres/sql-text.ts';
import { rowsOf, run, tables } from '../postgres/statement.ts';
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

/** A key with the terms of its organization and workspace, which determine its ceilings. */
const KEY_WITH_TERMS = {
  keyId: column.int8,
  keyHash: column.text,
  kind: column.oneOf<Principal['kind']>(['regular', 'management', 'intern']),
  name: column.text,
  label: column.text,
  organizationId: column.uuid,
  workspaceId: column.uuid,
  internId: column.uuid.orNull,
  creatorUserId: column.text.orNull,
  identitySubject: column.text.orNull,
  externalUser: column.text.orNull,
  disabled: column.bool,
  expiresAt: column.timestamptz.orNull,
  limitNanos: column.numeric.orNull,
  limitReset: column.oneOf(LIMIT_RESETS).orNull,
  includeByokInLimit: column.bool,
  rateLimitRequests: column.int4.orNull,
  createdAt: column.timestamptz,
  creditEnforcement: column.bool,
  includeByokInBudgets: column.bool,
  workspaceThresholds: column.int2s,
  /** Null: the organization has no default workspace. */
  organizationThresholds: column.int2s.orNull,
  budgets: column.json<{ interval: LimitInterval; limit: string }[]>().orNull,
};

const COLUMNS = selectList(KEY_WITH_TERMS, 'k', {
  keyId: 'k.id',
  keyHash: 'k.hash',
  disabled: '(k.disabled or o.disabled_at is not null)',
  creditEnforcement: 'o.credit_enforcement',
  includeByokInBudgets: 'w.include_byok_in_budgets',
  workspaceThresholds: 'w.budget_alert_thresholds',
  organizationThresholds: `(
    select d.budget_alert_thresholds from workspaces d
    where d.organization_id = k.organization_id and d.is_default)`,
  budgets: `(
    select json_agg(json_build_object('interval', b.interval, 'limit', b.limit_nanos::text)
                    order by b.interval)
    from workspace_budgets b where b.workspace_id = k.workspace_id)`,
});

const WITH_TERMS = `
  select ${COLUMNS}
  from api_keys k join organizations o on o.id = k.organization_id join workspaces w on w.id = k.workspace_id
    and w.deleted_at is null`;

/** Reads and writes `api_keys`. It stores hashes of tokens only. Deleted keys are not found. */
export function createApiKeyStore(handle: Handle) {
  return {
    ...keyRemovals(handle),
    ...keySettings(handle),

    async insert(key: NewApiKey): Promise<ApiKeyRecord> {
      await run(handle, tables('api_keys').insert(columnsOf(key)));
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
      const rows = await rowsOf(
        handle,
        KEY_WITH_TERMS,
        `${WITH_TERMS} where k.organization_id = :organizationId and k.deleted_at is null
         order by k.created_at desc`,
        { organizationId },
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
      const isRemoved = await change(handle, 'disabled = true, deleted_at = now()', { organizationId, hash });
      if (isRemoved) await createDisabledKeyStore(handle).forget(hash);
      return isRemoved;
    },

    /** Removes all keys of an intern, as `remove` does, and returns their hashes. */
    async removeAllOfIntern(internId: string): Promise<string[]> {
      const rows = await rowsOf(
        handle,
        { hash: column.text },
        `with locked as (
           select hash from api_keys where intern_id = :internId and deleted_at is null order by id for no key update
         )
         update api_keys k set disabled = true, deleted_at = now(), updated_at = now()
         from locked where k.hash = locked.hash returning k.hash`,
        { internId },
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
    setRateLimit: (organizationId: string, hash: string, requests: number | null): Promise<boolean> =>
      change(handle, 'rate_limit_requests = :requests', { organizationId, hash, requests }),

    /** Enables or disables a key. Returns false if the organization has no such key. */
    async setDisabled(organizationId: string, hash: string, disabled: boolean): Promise<boolean> {
      const isThere = await change(handle, 'disabled = :disabled', { organizationId, hash, disabled });
      if (isThere) await createDisabledKeyStore(handle).forget(hash);
      return isThere;
    },
  };
}

/** Sets columns of a key. Returns false if the organization has no such key. */
async function change(
  handle: Handle,
  columns: string,
  values: Record<string, SqlValue> & { organizationId: string; hash: string },
): Promise<boolean> {
  return anyRows(
    handle,
    `update api_keys set ${columns}, updated_at = now()
     where organization_id = :organizationId and hash = :hash and deleted_at is null`,
    values,
  );
}

/** Returns the key with the terms that its organization and workspace set for it. */
function findByHash(handle: Handle, hash: string): Promise<ApiKeyRecord | null> {
  return find(handle, hash, '');
}

async function find(handle: Handle, hash: string, lock: string): Promise<ApiKeyRecord | null> {
  const statement = `${WITH_TERMS} where k.hash = :hash and k.deleted_at is null ${lock}`;
  const row = await firstRow(handle, KEY_WITH_TERMS, statement, { hash });
  return row && toRecord(row);
}

function toRecord(row: RowOf<typeof KEY_WITH_TERMS>): ApiKeyRecord {
  const {
    creditEnforcement,
    includeByokInBudgets,
    workspaceThresholds,
    organizationThresholds,
    budgets,
    ...key
  } = row;
  const { internId, creatorUserId, identitySubject, externalUser, expiresAt, rateLimitRequests, ...rest } =
    key;
  const { limitReset, includeByokInLimit } = rest;
  const limitNanos = rest.limitNanos === null ? null : BigInt(rest.limitNanos);
  const ceilings = ceilingsOf({
    key: { limitNanos, limitReset, includeByokInLimit },
    creditEnforcement,
    budgets: (budgets ?? []).map(({ interval, limit }) => ({ interval, limitNanos: BigInt(limit) })),
    includeByokInBudgets,
    alertThresholds: { workspace: workspaceThresholds, organization: organizationThresholds ?? [] },
  });
  const optional = { internId, creatorUserId, identitySubject, externalUser, expiresAt, rateLimitRequests };
  return { ...rest, keyId: Number(rest.keyId), limitNanos, ...present({ ...optional, ceilings }) };
}

/** Returns the fields that have a value. */
function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
}
