import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/connection.ts';
import {
  createFailingCallbackStore,
  type FailingCallback,
} from '../../db/accounts/failing-callback-store.ts';

/**
 * Writes into the audit log, in the name of the system, that a callback URL has failed for five days. Once: the mark that it
 * was reported and the entry are one transaction. Returns whether there was something to report.
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

/** Names the host only: the rest of a URL may be a secret, and audit entries are kept long. */
function targetOf(workspaceId: string, url: string): string {
  return `workspaces/${workspaceId}/callback-urls/${new URL(url).host}`;
}
