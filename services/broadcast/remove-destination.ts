import { createAuditStore } from '../../db/accounts/audit-store.ts';
import { createDestinationStore } from '../../db/broadcast/destination-store.ts';
import { createHeadStore } from '../../db/broadcast/head-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createWorkspaceStore } from '../../db/accounts/workspace-store.ts';
import type { Actor } from '../../domain/principal.ts';
import { requireFound } from '../require-found.ts';

const ACTION = 'deleteObservabilityDestination';

/** Deletes a destination. Logging of the workspace ends with its last destination. Returns the workspace's id. */
export async function removeDestination(transaction: Handle, actor: Actor, id: string): Promise<string> {
  const store = createDestinationStore(transaction);
  const { organizationId } = actor;
  const { workspaceId } = requireFound(await store.find(organizationId, id));
  // Lock the workspace before the destination, like every transaction that locks both.
  requireFound(await createWorkspaceStore(transaction).lock(organizationId, { id: workspaceId }));
  const destination = requireFound(await store.lock(organizationId, id));
  await store.delete(destination.id);
  await auditRemovals(transaction, actor, [destination.id]);
  await createHeadStore(transaction).refreshLogging(workspaceId);
  return workspaceId;
}

/**
 * Deletes the destinations of a workspace that is being deleted and whose row the caller has locked. Returns their
 * ids.
 */
export async function removeDestinationsOf(
  transaction: Handle,
  actor: Actor,
  workspaceId: string,
): Promise<string[]> {
  const ids = await createDestinationStore(transaction).deleteAllOf(workspaceId);
  await auditRemovals(transaction, actor, ids);
  await createHeadStore(transaction).refreshLogging(workspaceId);
  return ids;
}

async function auditRemovals(transaction: Handle, actor: Actor, ids: readonly string[]): Promise<void> {
  const entries = ids.map((id) => ({ action: ACTION, target: `observability/destinations/${id}` }));
  await createAuditStore(transaction).insert(actor, ...entries);
}
