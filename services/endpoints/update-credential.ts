/** Changes or deletes an organization's own keys of providers, and records it in the audit log. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { SealedCredential } from '../../db/endpoints/credential-rows.ts';
import { createCredentialStore } from '../../db/endpoints/credential-store.ts';
import type { ByokCredential } from '../../domain/endpoints/byok-credential.ts';
import { invalidRequest, type Issue, AppError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { requireFound } from '../require-found.ts';
import { issuesOfFlags, type CredentialChanges } from './credential-draft.ts';
import { checkSecret, type CheckSecretDeps } from './check-secret.ts';
import { type SecretColumns, sealSecret } from './seal-secret.ts';

export interface UpdateCredentialDeps extends CheckSecretDeps {
  encryption: Pick<Encryption, 'seal'>;
}

/**
 * Changes a credential without decrypting its secret. Throws a 400 with all rules that the changes break, including
 * the given `known`. The address changes only together with the key; otherwise the stored key could be sent to any
 * address.
 */
export async function updateCredential(
  deps: UpdateCredentialDeps,
  transaction: Handle,
  actor: Actor,
  id: string,
  { key, ...changes }: CredentialChanges,
  known: readonly Issue[],
): Promise<ByokCredential> {
  const store = createCredentialStore(transaction);
  const stored = requireFound(await store.lock(actor.organizationId, id));
  const { columns, issues } =
    key === undefined
      ? { columns: {}, issues: issuesOfAddress(changes, stored) }
      : replaceSecret(deps, stored, { key, ...changes });
  issues.push(...issuesOfFlags(changes, stored), ...known);
  if (issues.length > 0) throw invalidRequest(...issues);
  const updated = await store.update(stored.id, { ...changes, ...columns });
  const entry = { action: 'updateByokKey', target: `byok/${stored.id}` };
  await createAuditStore(transaction).insert(actor, entry);
  return updated;
}

function issuesOfAddress({ baseUrl }: CredentialChanges, stored: SealedCredential): Issue[] {
  if (baseUrl === undefined || baseUrl === stored.baseUrl) return [];
  return [{ path: 'body.base_url', message: 'changes only together with key: send both' }];
}

function replaceSecret(
  deps: UpdateCredentialDeps,
  { id, providerSlug, ...stored }: SealedCredential,
  { key, baseUrl = stored.baseUrl }: CredentialChanges & { key: string },
): { columns: Partial<SecretColumns>; issues: Issue[] } {
  const { apiKey, origin, issues } = checkSecret(deps, { providerSlug, key, baseUrl });
  if (apiKey === undefined) return { columns: {}, issues };
  return { columns: sealSecret(deps.encryption, id, { key, apiKey, origin }), issues };
}

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
