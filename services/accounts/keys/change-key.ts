/** Changes or deletes one API key in a transaction, and names keys in the audit log. */
import { createApiKeyStore } from '../../../db/accounts/api-key-store.ts';
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { lockDirectory } from '../../../db/accounts/lock-directory.ts';
import { createManagedKeyStore } from '../../../db/accounts/managed-key-store.ts';
import { createWorkspaceStore } from '../../../db/accounts/workspace-store.ts';
import type { KeyChanges, ManagedKey } from '../../../domain/accounts/api-key.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import { requireFound } from '../../require-found.ts';
import { foreignWorkspace } from '../workspaces/find-workspace.ts';

/**
 * Changes a key. Throws 404 when the organization lacks the key or the workspace to move it to. Requests under way
 * stay with the workspace in which they started: they are recorded there and count against its budgets. It locks
 * directory, workspace and key in this order, like all code that locks several of them.
 */
export async function updateKey(
  transaction: Handle,
  actor: Actor,
  hash: string,
  changes: KeyChanges,
): Promise<ManagedKey> {
  const { organizationId } = actor;
  if (locksDirectory(changes)) await lockDirectory(transaction, organizationId);
  await lockWorkspace(transaction, organizationId, changes.workspaceId);
  const store = createManagedKeyStore(transaction);
  const key = requireFound(await store.lock(organizationId, hash));
  const { workspaceId, ...others } = changes;
  const isMove = workspaceId !== undefined && workspaceId.toLowerCase() !== key.workspaceId;
  // A move to the key's own workspace changes nothing, not even the time of the last update.
  if (!isMove && Object.keys(others).length === 0) return key;
  const updated = await store.update(hash, isMove ? changes : others);
  await createAuditStore(transaction).insert(actor, { action: 'updateKey', target: `keys/${hash}` });
  return updated;
}

/**
 * Returns whether the change must lock the directory. The key's owner may be leaving the organization, and these
 * changes could let the owner keep the key.
 */
export function locksDirectory({ disabled, workspaceId }: KeyChanges): boolean {
  return disabled === false || workspaceId !== undefined;
}

/** Deletes a regular key, or a key of the intern. Throws 404 when there is none. */
export async function removeKey(
  transaction: Handle,
  actor: Actor,
  hash: string,
  internId?: string,
): Promise<void> {
  const { organizationId } = actor;
  requireFound(await createManagedKeyStore(transaction, internId).lock(organizationId, hash));
  await createApiKeyStore(transaction).remove(organizationId, hash);
  const action = internId === undefined ? 'deleteKey' : 'deleteInternKey';
  await createAuditStore(transaction).insert(actor, { action, target: keyTarget(hash, internId) });
}

/** Returns the path that names a key in the audit log. Keys of interns are managed below their interns. */
export function keyTarget(hash: string, internId?: string): string {
  return internId === undefined ? `keys/${hash}` : `interns/${internId}/keys/${hash}`;
}

async function lockWorkspace(
  transaction: Handle,
  organizationId: string,
  id: string | undefined,
): Promise<void> {
  if (id === undefined) return;
  if ((await createWorkspaceStore(transaction).lock(organizationId, { id })) !== null) return;
  throw new AppError('not_found', { issues: [foreignWorkspace('body')] });
}
