/** Stores where an organization's directory is read from, with its encrypted token and its interval. */
import {
  DEFAULT_INTERVAL_MINUTES,
  type DirectorySource,
  type DisableKeys,
  type SourceType,
} from '../../domain/directory/source.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

interface SourceRow {
  organization_id: string;
  type: SourceType;
  base_url: string | null;
  sealed_token: string | null;
  token_hint: string | null;
  interval_minutes: number;
  disable_keys: DisableKeys;
  next_sync_at: Date | null;
  full_sync_at: Date | null;
  changed_since: Date | null;
  updated_at: Date;
}

/** A source with its encrypted secret. */
export interface SealedSource extends DirectorySource {
  sealedToken: string | null;
  /** The start of the last applied reading; null if everything must be read. */
  changedSince: Date | null;
}

/** The settings of a source. A pulled source has an address and a token. */
export type SourceSettings = Pick<
  SealedSource,
  'organizationId' | 'type' | 'baseUrl' | 'sealedToken' | 'tokenHint' | 'intervalMinutes' | 'disableKeys'
>;

/** Stores the sources of people and groups. */
export function createSourceStore(handle: Handle) {
  return {
    /** Returns the source of an organization; `pushed` if none was set. */
    async find(organizationId: string): Promise<DirectorySource> {
      const row = await handle<SourceRow>('scim_sources').where({ organization_id: organizationId }).first();
      return row === undefined ? pushedSource(organizationId) : toSource(row);
    },

    /** Returns the source with its encrypted token; null if none was set. */
    async findSealed(organizationId: string): Promise<SealedSource | null> {
      const row = await handle<SourceRow>('scim_sources').where({ organization_id: organizationId }).first();
      return row === undefined ? null : toSealed(row);
    },

    /**
     * Replaces the settings. A pulled source is due at once. `isOther`: the server differs from the previous one, so
     * everything must be read.
     */
    async put(settings: SourceSettings, { isOther }: { isOther: boolean }): Promise<DirectorySource> {
      const [row] = await uncheckedRowsOf<SourceRow>(
        handle,
        `insert into scim_sources as s (organization_id, type, base_url, sealed_token, token_hint, interval_minutes,
           disable_keys, next_sync_at)
         values (:organizationId, :type, :baseUrl, :sealedToken, :tokenHint, :intervalMinutes, :disableKeys,
           case when :type = 'scim' then clock_timestamp() end)
         on conflict (organization_id) do update set
           type = excluded.type, base_url = excluded.base_url, sealed_token = excluded.sealed_token,
           token_hint = excluded.token_hint, interval_minutes = excluded.interval_minutes,
           disable_keys = excluded.disable_keys, next_sync_at = excluded.next_sync_at,
           full_sync_at = case when :isOther then null else s.full_sync_at end,
           changed_since = case when :isOther then null else s.changed_since end,
           updated_at = clock_timestamp()
         returning *`,
        { ...settings, isOther },
      );
      if (row === undefined) throw new Error('insert returned no row');
      return toSource(row);
    },

    /** Deletes the settings. Returns false if none were set. */
    async delete(organizationId: string): Promise<boolean> {
      const deleted = await handle('scim_sources').where({ organization_id: organizationId }).delete();
      return deleted > 0;
    },

    /** Records that a reading of this server was applied. The reading began at `readAtMs`. */
    async noteReading(
      organizationId: string,
      { baseUrl, readAtMs, isFull }: { baseUrl: string; readAtMs: number; isFull: boolean },
    ): Promise<void> {
      await handle.raw(
        `update scim_sources
         set changed_since = ?, full_sync_at = case when ? then clock_timestamp() else full_sync_at end
         where organization_id = ? and base_url = ?`,
        [new Date(readAtMs), isFull, organizationId, baseUrl],
      );
    },
  };
}

function pushedSource(organizationId: string): DirectorySource {
  return {
    organizationId,
    type: 'pushed',
    baseUrl: null,
    tokenHint: null,
    intervalMinutes: DEFAULT_INTERVAL_MINUTES,
    disableKeys: 'all',
    nextSyncAt: null,
    fullSyncAt: null,
    updatedAt: null,
  };
}

function toSealed(row: SourceRow): SealedSource {
  return { ...toSource(row), sealedToken: row.sealed_token, changedSince: row.changed_since };
}

function toSource(row: SourceRow): DirectorySource {
  return {
    organizationId: row.organization_id,
    type: row.type,
    baseUrl: row.base_url,
    tokenHint: row.token_hint,
    intervalMinutes: row.interval_minutes,
    disableKeys: row.disable_keys,
    nextSyncAt: row.next_sync_at,
    fullSyncAt: row.full_sync_at,
    updatedAt: row.updated_at,
  };
}
