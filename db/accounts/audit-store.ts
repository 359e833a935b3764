/** Stores, lists and deletes entries of the audit log. */
import { newUuid } from '../../domain/ids.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows } from '../postgres/results.ts';
import { bool, type RowOf, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import { joined, sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf, run } from '../postgres/statement.ts';

export interface AuditEntry {
  /**
   * The operation's id from the contract; operator commands use the same id if one exists. Changes by the system have
   * their own.
   */
  action: string;
  /** The path of the changed resource, below the API's base, with its canonical id: `workspaces/<id>`. */
  target: string;
}

const AUDIT_RECORD = {
  id: uuid,
  action: text,
  target: text,
  /** Null: an operator at the command line, or the system, made the change. */
  keyHash: text.orNull,
  isSystem: bool,
  requestId: text.orNull,
  createdAt: timestamptz,
};
export type AuditRecord = RowOf<typeof AUDIT_RECORD>;

export interface AuditFilter {
  action?: string | undefined;
  target?: string | undefined;
  keyHash?: string | undefined;
}

export interface AuditPage {
  /** The id of an entry; the page has only entries older than that one. */
  before?: string | undefined;
  limit: number;
  offset: number;
}

const COLUMNS = selectList(AUDIT_RECORD);

/** Stores the audit log. An entry is written in the transaction of its change, so both are committed or neither. */
export function createAuditStore(handle: Handle) {
  return {
    ...auditWrites(handle),

    /**
     * Returns a page of entries, newest first, and the number of all entries that match the filter. Null if no entry
     * has the id `before`.
     */
    async list(
      organizationId: string,
      filter: AuditFilter,
      { before, limit, offset }: AuditPage,
    ): Promise<{ entries: AuditRecord[]; totalCount: number } | null> {
      const { action, target, keyHash } = filter;
      // The indexes are on the hashes.
      const where = joined(
        [
          sql`from audit_log where organization_id = ${organizationId}`,
          action === undefined ? undefined : sql`action = ${action}`,
          target === undefined
            ? undefined
            : sql`target = ${target} and hashtextextended(target, 0) = hashtextextended(${target}, 0)`,
          keyHash === undefined
            ? undefined
            : sql`key_hash = ${keyHash} and hashtextextended(key_hash, 0) = hashtextextended(${keyHash}, 0)`,
        ],
        ' and ',
      );
      if (before !== undefined) {
        const statement = 'select from audit_log where id = :before and organization_id = :organizationId';
        if (!(await anyRows(handle, statement, { before, organizationId }))) return null;
      }
      const older =
        before === undefined
          ? sql``
          : sql`and (created_at, id) < (select created_at, id from audit_log where id = ${before})`;
      const entries = await rowsOf(
        handle,
        AUDIT_RECORD,
        sql`select ${trustedText(COLUMNS)} ${where} ${older}
          order by created_at desc, id desc limit ${limit} offset ${offset}`,
      );
      return { entries, totalCount: await countRows(handle, where) };
    },
  };
}

/** Builds the methods that write audit rows and delete old ones. */
function auditWrites(handle: Handle) {
  return {
    async insert(actor: Actor, ...entries: AuditEntry[]): Promise<void> {
      // The time is that of the change. `now()` is the start of the transaction, which may have waited for one that
      // started later.
      await run(
        handle,
        `insert into audit_log (id, organization_id, key_hash, is_system, action, target, request_id, created_at)
         select id, :organizationId, :keyHash, :isSystem, action, target, :requestId, clock_timestamp()
         from unnest(:ids::uuid[], :actions::text[], :targets::text[]) entry (id, action, target)`,
        {
          organizationId: actor.organizationId,
          keyHash: actor.keyHash ?? null,
          isSystem: actor.isSystem ?? false,
          requestId: actor.requestId ?? null,
          ids: entries.map(newUuid),
          actions: entries.map(({ action }) => action),
          targets: entries.map(({ target }) => target),
        },
      );
    },

    /** Deletes up to `limit` entries that are older than `retentionMs`, of all organizations. Returns how many. */
    deleteOld: (retentionMs: number, limit: number): Promise<number> =>
      run(
        handle,
        `delete from audit_log where id = any(array(
           select id from audit_log where created_at < now() - :retentionMs * interval '1 millisecond'
           order by created_at limit :limit))`,
        { retentionMs, limit },
      ),
  };
}
