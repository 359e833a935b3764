/** Stores where an organization's directory is read from, with its encrypted token and its interval. */
import {
  DEFAULT_INTERVAL_MINUTES,
  type DirectorySource,
  DISABLE_KEYS,
  SOURCE_TYPES,
} from '../../domain/directory/source.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, firstRow, oneRow } from '../postgres/results.ts';
import { int4, oneOf, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const SOURCE = {
  organizationId: uuid,
  type: oneOf(SOURCE_TYPES),
  baseUrl: text.orNull,
  tokenHint: text.orNull,
  intervalMinutes: int4,
  disableKeys: oneOf(DISABLE_KEYS),
  nextSyncAt: timestamptz.orNull,
  fullSyncAt: timestamptz.orNull,
  updatedAt: timestamptz,
};
const SOURCE_COLUMNS = selectList(SOURCE);
const SEALED_SOURCE = { ...SOURCE, sealedToken: text.orNull, changedSince: timestamptz.orNull };
const STORED = 'from scim_sources where organization_id = :organizationId';

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
      const [source] = await rowsOf(handle, SOURCE, `select ${SOURCE_COLUMNS} ${STORED}`, { organizationId });
      return source ?? pushedSource(organizationId);
    },

    /** Returns the source with its encrypted token; null if none was set. */
    async findSealed(organizationId: string): Promise<SealedSource | null> {
      const statement = `select ${selectList(SEALED_SOURCE)} ${STORED}`;
      return firstRow(handle, SEALED_SOURCE, statement, { organizationId });
    },

    /**
     * Replaces the settings. A pulled source is due at once. `isOther`: the server differs from the previous one, so
     * everything must be read.
     */
    put: (settings: SourceSettings, { isOther }: { isOther: boolean }): Promise<DirectorySource> =>
      oneRow(
        handle,
        SOURCE,
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
         returning ${SOURCE_COLUMNS}`,
        { ...settings, isOther },
      ),

    /** Deletes the settings. Returns false if none were set. */
    delete: (organizationId: string): Promise<boolean> =>
      anyRows(handle, `delete ${STORED}`, { organizationId }),

    /** Records that a reading of this server was applied. The reading began at `readAtMs`. */
    async noteReading(
      organizationId: string,
      { baseUrl, readAtMs, isFull }: { baseUrl: string; readAtMs: number; isFull: boolean },
    ): Promise<void> {
      await run(
        handle,
        `update scim_sources
         set changed_since = :readAt, full_sync_at = case when :isFull then clock_timestamp() else full_sync_at end
         where organization_id = :organizationId and base_url = :baseUrl`,
        { organizationId, baseUrl, readAt: new Date(readAtMs), isFull },
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
