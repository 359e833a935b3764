/** Turns a record of the audit log into an entry of the body of `GET /audit-log`. */
import type { AuditLogEntry } from '../../../contract/accounts/audit-log.ts';
import type { AuditRecord } from '../../../db/accounts/audit-store.ts';

export function presentAuditEntry(entry: AuditRecord): AuditLogEntry {
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
