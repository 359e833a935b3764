/** Lists the audit log of an organization. */
import type { AuditLogEntry, auditLogOperations } from '../../contract/accounts/audit-log.ts';
import type { AuditRecord } from '../../db/accounts/audit-store.ts';
import type { AuditLog } from '../../services/accounts/audit-log.ts';
import type { RoutesOf } from '../http/route.ts';

export const auditLogRoutes: RoutesOf<typeof auditLogOperations, { auditLog: AuditLog }> = {
  /** Handles `GET /audit-log`: lists the changes that keys, operators and the system made in the organization. */
  listAuditLog: async ({ principal, query }, { services }) => {
    const { action, target, key_hash: keyHash, before, limit, offset } = query;
    const { entries, totalCount } = await services.auditLog.list(
      principal.organizationId,
      { action, target, keyHash },
      { before, limit, offset },
    );
    return { status: 200, body: { data: entries.map(presentAuditEntry), total_count: totalCount } };
  },
};

/** Turns a record of the audit log into an entry of the body of `GET /audit-log`. */
function presentAuditEntry(entry: AuditRecord): AuditLogEntry {
  return {
    id: entry.id,
    action: entry.action,
    target: entry.target,
    actor: actorOf(entry),
    key_hash: entry.keyHash,
    request_id: entry.requestId,
    created_at: entry.createdAt.toISOString(),
  };
}

function actorOf({ isSystem, keyHash }: AuditRecord): AuditLogEntry['actor'] {
  if (isSystem) return 'system';
  return keyHash === null ? 'operator' : 'key';
}
