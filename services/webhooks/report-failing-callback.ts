import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import {
  createFailingCallbackStore,
  type FailingCallback,
} from '../../db/webhooks/failing-callback-store.ts';

/**
 * Writes an audit entry, as the system, that a callback URL has failed for five days. Writes it once, because one
 * transaction marks the URL and writes the entry. Returns whether it wrote the entry.
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
 * Returns the target of the audit entry. It contains only the host, because the rest of a URL may be a secret and audit
 * entries are kept long.
 */
function targetOf(workspaceId: string, url: string): string {
  return `workspaces/${workspaceId}/callback-urls/${new URL(url).host}`;
}
