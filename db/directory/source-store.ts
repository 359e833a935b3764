import {
  DEFAULT_INTERVAL_MINUTES,
  type DirectorySource,
  type DisableKeys,
  type SourceType,
} from '../../domain/directory/source.ts';
import type { Handle } from '../connection.ts';

interface SourceRow {
  organization_id: string;
  type: SourceType;
  base_url: string | null;
  token_hint: string | null;
  interval_minutes: number;
  disable_keys: DisableKeys;
  next_sync_at: Date | null;
  full_sync_at: Date | null;
  updated_at: Date;
}

/** Where people and groups of organizations come from. */
export function createSourceStore(handle: Handle) {
  return {
    /** Returns the source of an organization; what is pushed where nothing was set. */
    async find(organizationId: string): Promise<DirectorySource> {
      const row = await handle<SourceRow>('scim_sources').where({ organization_id: organizationId }).first();
      return row === undefined ? pushedSource(organizationId) : toSource(row);
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
