import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createCredentialStore } from '../../db/endpoints/credential-store.ts';
import { AppError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';

/** Deletes a credential with its secret. */
export async function removeCredential(transaction: Handle, actor: Actor, id: string): Promise<void> {
  const isDeleted = await createCredentialStore(transaction).delete(actor.organizationId, id);
  if (!isDeleted) throw new AppError('not_found');
  await auditRemovals(transaction, actor, [id.toLowerCase()]);
}

/** Deletes the credentials of a workspace that is being deleted and whose row the caller has locked. */
export async function removeCredentialsOf(
  transaction: Handle,
  actor: Actor,
  workspaceId: string,
): Promise<void> {
  await auditRemovals(transaction, actor, await createCredentialStore(transaction).deleteAllOf(workspaceId));
}

async function auditRemovals(transaction: Handle, actor: Actor, ids: readonly string[]): Promise<void> {
  const entries = ids.map((id) => ({ action: 'deleteByokKey', target: `byok/${id}` }));
  await createAuditStore(transaction).insert(actor, ...entries);
}
