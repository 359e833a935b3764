import { newUuid } from '../../domain/ids.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';

export interface AuditEntry {
  /**
   * The operation's id, as in the contract; commands of operators use the same where there is one. What the system
   * reports has a name of its own.
   */
  action: string;
  /** The path of what was changed, below the API's base, with its canonical id: `workspaces/<id>`. */
  target: string;
}

export interface AuditRecord extends AuditEntry {
  id: string;
  /** Null: an operator did it, at the command line, or the system. */
  keyHash: string | null;
  isSystem: boolean;
  requestId: string | null;
  createdAt: Date;
}

export interface AuditFilter {
  action?: string;
  target?: string;
  keyHash?: string;
}

export interface AuditPage {
  /** The id of an entry: only those behind it. */
  before?: string;
  limit: number;
  offset: number;
}

interface AuditRow {
  id: string;
  organization_id: string;
  key_hash: string | null;
  by_system: boolean;
  action: string;
  target: string;
  request_id: string | null;
  created_at: Date;
}

const ROWS_A_STATEMENT = 1_000;

/** The audit log. Written by the transaction that makes the change, so that neither is there without the other. */
export function createAuditStore(handle: Handle) {
  return {
    ...auditWrites(handle),

    /** Newest first. The count is that of the filter, wherever the page begins. Null when `before` is no entry. */
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
        // Which the indexes have.
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
        by_system: actor.isSystem ?? false,
        action,
        target,
        request_id: actor.requestId ?? null,
        // Of the change, not of the transaction, which may have waited for another that came later.
        created_at: handle.raw('clock_timestamp()'),
      }));
      for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
        await handle('audit_log').insert(rows.slice(from, from + ROWS_A_STATEMENT));
      }
    },

    /** Deletes up to `limit` entries that are older than `retentionMs`, of all organizations. Returns how many. */
    async deleteOld(retentionMs: number, limit: number): Promise<number> {
      const rows = await rowsOf<{ id: string }>(
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
    isSystem: row.by_system,
    action: row.action,
    target: row.target,
    requestId: row.request_id,
    createdAt: row.created_at,
  };
}
