/** Answers the operations on the secrets of a workspace. */
import type { EffectiveSecretRecord, VaultSecretRecord } from '../../contract/interns/vault-record.ts';
import type { vaultSecretOperations } from '../../contract/interns/vault-secrets.ts';
import type { EffectiveMetadata, SecretMetadata } from '../../domain/interns/vault.ts';
import type { VaultService } from '../../services/interns/vault/vault-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const vaultSecretRoutes: RoutesOf<typeof vaultSecretOperations, { vault: VaultService }> = {
  /** Handles `GET /vault/secrets`: lists the secrets of the key's workspace, without their values. */
  listVaultSecrets: async ({ principal, query }, { services }) => {
    const { secrets, hasMore } = await services.vault.listOfWorkspace(principal, query);
    return { status: 200, body: { data: secrets.map(presentSecret), has_more: hasMore } };
  },

  /** Handles `PUT /vault/secrets/{name}`: stores a secret of the workspace, or replaces it. */
  storeVaultSecret: async (call, { services }) => {
    const secret = await services.vault.putInWorkspace(call, { ...call.params, ...call.body });
    return { status: 200, body: { data: presentSecret(secret) } };
  },

  /** Handles `DELETE /vault/secrets/{name}`: deletes a secret of the workspace. */
  deleteVaultSecret: async (call, { services }) => {
    await services.vault.deleteFromWorkspace(call, call.params.name);
    return { status: 204 };
  },
};

/** Presents a secret with every field: published clients reject a record that lacks one. */
export function presentSecret({ name, hosts, fingerprint, createdAt }: SecretMetadata): VaultSecretRecord {
  return {
    name,
    hosts: hosts === null ? null : [...hosts],
    fingerprint,
    created_at: createdAt.toISOString(),
  };
}

export function presentEffectiveSecret(secret: EffectiveMetadata): EffectiveSecretRecord {
  return { ...presentSecret(secret), scope: secret.scope };
}
