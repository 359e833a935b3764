/** Stores, lists and deletes entries of the audit log. */
import { newUuid } from '../../domain/ids.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

export interface AuditEntry {
  /**
   * The operation's id from the contract; operator commands use the same id if one exists. Changes by the system have
   * their own.
   */
  action: string;
  /** The path of the changed resource, below the API's base, with its canonical id: `workspaces/<id>`. */
  target: string;
}

export interface AuditRecord extends AuditEntry {
  id: string;
  /** Null: an operator at the command line, or the system, made the change. */
  keyHash: string | null;
  isSystem: boolean;
  requestId: string | null;
  createdAt: Date;
}

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

interface AuditRow {
  id: string;
  organization_id: string;
  key_hash: string | null;
  is_system: boolean;
  action: string;
  target: string;
  request_id: string | null;
  created_at: Date;
}

const ROWS_PER_STATEMENT = 1_000;

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
      const filtered = () => {
        const entries = handle<AuditRow>('audit_log').where({
          organization_id: organizationId,
          ...(filter.action === undefined ? {} : { action: filter.action }),
          ...(filter.target === undefined ? {} : { target: filter.target }),
          ...(filter.keyHash === undefined ? {} : { key_hash: filter.keyHash }),
        });
        // The indexes are on these hashes.
        if (filter.target !== undefined) void entries.whereRaw(hashEquals('target'), [filter.target]);
        if (filter.keyHash !== undefined) void entries.whereRaw(hashEquals('key_hash'), [filter.keyHash]);
        return entries;
      };
      const mark = { id: before, organization_id: organizationId };
      if (before !== undefined && (await handle('audit_log').where(mark).first('id')) === undefined)
        return null;
      const rows = await filtered()
        .modify((page) => {
          if (before !== undefined) void page.whereRaw(BEHIND, [before]);
        })
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset);
      const count = await filtered().count<{ n: string }>({ n: '*' }).first();
      return { entries: rows.map(toRecord), totalCount: Number(count?.n ?? 0) };
    },
  };
}

/** Builds the methods that write audit rows and delete old ones. */
function auditWrites(handle: Handle) {
  return {
    async insert(actor: Actor, ...entries: AuditEntry[]): Promise<void> {
      const rows = entries.map(({ action, target }) => ({
        id: newUuid(),
        organization_id: actor.organizationId,
        key_hash: actor.keyHash ?? null,
        is_system: actor.isSystem ?? false,
        action,
        target,
        request_id: actor.requestId ?? null,
        // The time of the change. `now()` is the start of the transaction, which may have waited for one that started
        // later.
        created_at: handle.raw('clock_timestamp()'),
      }));
      for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
        await handle('audit_log').insert(rows.slice(from, from + ROWS_PER_STATEMENT));
      }
    },

    /** Deletes up to `limit` entries that are older than `retentionMs`, of all organizations. Returns how many. */
    async deleteOld(retentionMs: number, limit: number): Promise<number> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `delete from audit_log where id = any(array(
           select id from audit_log where created_at < now() - ? * interval '1 millisecond'
           order by created_at limit ?))
         returning id`,
        [retentionMs, limit],
      );
      return rows.length;
    },
  };
}

function hashEquals(column: 'target' | 'key_hash'): string {
  return `hashtextextended(${column}, 0) = hashtextextended(?, 0)`;
}

const BEHIND = '(created_at, id) < (select created_at, id from audit_log where id = ?)';

function toRecord(row: AuditRow): AuditRecord {
  return {
    id: row.id,
    keyHash: row.key_hash,
    isSystem: row.is_system,
    action: row.action,
    target: row.target,
    requestId: row.request_id,
    createdAt: row.created_at,
  };
}
