/** Encrypts a secret and stores it in a vault, within the limit of secrets for each vault. */
import { createHmac } from 'node:crypto';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createVaultSecretStore } from '../../../db/interns/vault-secret-store.ts';
import { AppError } from '../../../domain/errors.ts';
import { newUuid } from '../../../domain/ids.ts';
import {
  MAX_SECRETS_OF_VAULT,
  type SecretMetadata,
  secretValueContext,
} from '../../../domain/interns/vault.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { vaultKeyContext } from './new-vault.ts';
import { openSealed, type OpenSealedDeps } from './open-sealed.ts';
import type { WritableVault } from './writable-vault.ts';

export interface PutSecretDeps extends OpenSealedDeps {
  encryption: Pick<Encryption, 'seal' | 'open'>;
}

/** A secret as a request contains it. */
export interface SecretDraft {
  name: string;
  value: string;
  hosts: readonly string[];
}

/**
 * Stores a secret in a locked vault, which must have room. Throws 503 when the key of the vault's fingerprints cannot
 * be opened.
 */
export async function putSecret(
  { encryption, logger }: PutSecretDeps,
  transaction: Handle,
  { id: vaultId, sealedKey, beforeWorkspacesId }: WritableVault,
  { name, value, hosts }: SecretDraft,
): Promise<SecretMetadata> {
  const store = createVaultSecretStore(transaction);
  const vaultKey = openSealed({ encryption, logger }, sealedKey, vaultKeyContext(vaultId));
  if (beforeWorkspacesId !== null) await store.move(name, beforeWorkspacesId, vaultId);
  return store.put({
    vaultId,
    name,
    hosts,
    fingerprint: fingerprintOf(vaultKey, value),
    sealedValue: encryption.seal(value, secretValueContext(vaultId, name)),
    version: newUuid(),
  });
}

/** Throws a 409 unless a locked vault has room for secrets of these names. */
export async function requireRoom(
  transaction: Handle,
  { id }: WritableVault,
  names: readonly string[],
  path: 'params.name' | 'body.names',
): Promise<void> {
  const others = await createVaultSecretStore(transaction).countOthers(id, names);
  if (others + names.length <= MAX_SECRETS_OF_VAULT) return;
  const message = `the vault holds ${MAX_SECRETS_OF_VAULT} secrets at most`;
  throw new AppError('conflict', {
    reason: 'vault_full',
    retryable: false,
    issues: [{ path, message }],
  });
}

/**
 * Returns the fingerprint of a value. Equal values of one vault have equal fingerprints. Values of different vaults
 * cannot be compared.
 */
function fingerprintOf(vaultKey: Buffer, value: string): string {
  return `sha256:${createHmac('sha256', vaultKey).update(value).digest('hex')}`;
}
