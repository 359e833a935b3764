import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/connection.ts';
import {
  createFailingCallbackStore,
  type FailingCallback,
} from '../../db/accounts/failing-callback-store.ts';

/**
 * Writes an audit entry, as the system, that a callback URL has failed for five days. It is written once: the mark
 * and the entry are one transaction. Returns whether there was something to report.
 */
export async function reportFailingCallback(
  knex: Handle,
  { id: workspaceId, organizationId, url }: FailingCallback,
): Promise<boolean> {
  return knex.transaction(async (transaction) => {
    const isFirst = await createFailingCallbackStore(transaction).markReported(workspaceId, url);
    if (!isFirst) return false;
    const entry = { action: 'reportFailingCallbackUrl', target: targetOf(workspaceId, url) };
    await createAuditStore(transaction).insert({ organizationId, isSystem: true }, entry);
    return true;
  });
}

/**
 * Returns the target of the audit entry. It names the host only, because the rest of a URL may be a secret and audit
 * entries are kept long.
 */
function targetOf(workspaceId: string, url: string): string {
  return `workspaces/${workspaceId}/callback-urls/${new URL(url).host}`;
}
