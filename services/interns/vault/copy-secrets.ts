import type { Handle } from '../../../db/postgres/connection.ts';
import { createVaultSecretStore, type StoredSecret } from '../../../db/interns/vault-secret-store.ts';
import { createVaultStore } from '../../../db/interns/vault-store.ts';
import { AppError, type Issue } from '../../../domain/errors.ts';
import { workspaceSecrets } from '../../../domain/interns/effective-secrets.ts';
import { type SecretMetadata, secretValueContext } from '../../../domain/interns/vault.ts';
import type { Principal } from '../../../domain/principal.ts';
import { requireFound } from '../../require-found.ts';
import { openSealed } from './open-sealed.ts';
import { putSecret, type PutSecretDeps, requireRoom } from './put-secret.ts';
import type { WritableVault } from './writable-vault.ts';

/**
 * Copies secrets of the key's workspace into the locked vault of an intern, and returns the copies in the order of the
 * names. Throws a 404 that names missing secrets, a 409 that names secrets without hosts, and a 503 when a value cannot
 * be opened.
 */
export async function copySecrets(
  deps: PutSecretDeps,
  transaction: Handle,
  { principal, vault }: { principal: Principal; vault: WritableVault },
  names: readonly string[],
): Promise<SecretMetadata[]> {
  const sources = await holdSources(transaction, principal, names);
  refuse(names, (name) => !sources.has(name), {
    message: 'is no secret of the workspace',
    error: (issues) => new AppError('not_found', { issues }),
  });
  refuse(names, (name) => sources.get(name)?.hosts === null, {
    message: 'has no hosts: store it again with the hosts that may receive it',
    error: (issues) => new AppError('conflict', { reason: 'secret_without_hosts', retryable: false, issues }),
  });
  await requireRoom(transaction, vault, names, 'body.names');
  const store = createVaultSecretStore(transaction);
  const copies: SecretMetadata[] = [];
  // Copy one value at a time, because a hundred of the largest take tens of megabytes.
  for (const { vaultId, name, hosts } of names.map((name) => requireFound(sources.get(name) ?? null))) {
    const sealed = requireFound(await store.sealedValue({ vaultId, name }));
    const value = openSealed(deps, sealed, secretValueContext(vaultId, name)).toString('utf8');
    copies.push(await putSecret(deps, transaction, vault, { name, value, hosts: hosts ?? [] }));
  }
  return copies;
}

async function holdSources(
  transaction: Handle,
  principal: Principal,
  names: readonly string[],
): Promise<ReadonlyMap<string, StoredSecret>> {
  const { ownId, beforeWorkspacesId } = await createVaultStore(transaction).ofWorkspace(principal);
  const vaultIds = [ownId, beforeWorkspacesId].filter((id) => id !== null);
  const secrets = await createVaultSecretStore(transaction).holdAll(vaultIds, names);
  const of = (vaultId: string | null) =>
    new Map(secrets.filter((secret) => secret.vaultId === vaultId).map((secret) => [secret.name, secret]));
  return workspaceSecrets(of(ownId), of(beforeWorkspacesId));
}

function refuse(
  names: readonly string[],
  isWrong: (name: string) => boolean,
  { message, error }: { message: string; error(issues: Issue[]): AppError },
): void {
  const issues = names.flatMap((name, index) =>
    isWrong(name) ? [{ path: `body.names.${index}`, message: `${name} ${message}` }] : [],
  );
  if (issues.length > 0) throw error(issues);
}
