import { createAuditStore } from '../db/accounts/audit-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { lockDirectory } from '../db/accounts/lock-directory.ts';
import { createWorkspaceRemovalStore } from '../db/accounts/workspace-removal-store.ts';
import { AppError } from '../domain/errors.ts';
import type { Actor } from '../domain/principal.ts';
import { removeDestinationsOf } from './broadcast/update-destination.ts';
import { removeCredentialsOf } from './endpoints/update-credential.ts';
import { referenceOf } from './accounts/workspaces/find-workspace.ts';
import { requireFound } from './require-found.ts';

/**
 * Deletes a workspace with everything that it still has: keys, keys of vendors, observability destinations, mappings
 * of groups and secrets. Returns its id with those of the destinations.
 *
 * Throws a 400 with the reason for the default workspace, and while it has interns, active keys or jobs under way.
 * Locks the directory, then the workspace, then keys, as every writer that locks several of them does.
 */
export async function removeWorkspace(
  transaction: Handle,
  actor: Actor,
  reference: string,
): Promise<{ id: string; destinationIds: string[] }> {
  await lockDirectory(transaction, actor.organizationId);
  const store = createWorkspaceRemovalStore(transaction);
  const { id, isDefault } = requireFound(await store.lock(actor.organizationId, referenceOf(reference)));
  if (isDefault) throw refusal('default_workspace', 'is the default workspace of the organization');
  if (await store.hasInterns(id)) throw refusal('interns', 'has interns: delete them first');
  refuseActive(await store.activeKeys(id));
  const openJobs = await store.openJobs(id);
  if (openJobs > 0) {
    throw refusal('open_jobs', `has jobs under way (${openJobs}): wait for them or cancel them first`);
  }
  // Lock the keys only after the checks, so that a refused removal blocks no key.
  const keys = await store.lockKeys(id);
  refuseActive(keys.filter(({ active }) => active).length);
  const mappingIds = await store.removeFromDirectory(id);
  await store.removeVault(id);
  await store.remove(id);
  await createAuditStore(transaction).insert(
    actor,
    ...keys.map(({ hash }) => ({ action: 'deleteKey', target: `keys/${hash}` })),
    ...mappingIds.map((mappingId) => ({
      action: 'deleteScimGroupMapping',
      target: `scim/group-mappings/${mappingId}`,
    })),
    { action: 'deleteWorkspace', target: `workspaces/${id}` },
  );
  await removeCredentialsOf(transaction, actor, id);
  return { id, destinationIds: await removeDestinationsOf(transaction, actor, id) };
}

function refuseActive(activeKeys: number): void {
  if (activeKeys === 0) return;
  throw refusal('active_keys', `has active keys (${activeKeys}): delete, disable or move them first`);
}

function refusal(reason: string, message: string): AppError {
  return new AppError('invalid_request', { reason, issues: [{ path: 'params.id', message }] });
}
