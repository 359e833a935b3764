/** Answers the operations on the secrets of a workspace and of its interns. */
import type { EffectiveSecretRecord, VaultSecretRecord } from '../../contract/interns/vault-record.ts';
import type { vaultOperations } from '../../contract/interns/vault.ts';
import type { EffectiveMetadata, SecretMetadata } from '../../domain/interns/vault.ts';
import type { VaultService } from '../../services/interns/vault/vault-service.ts';
import type { RoutesOf } from '../http/route.ts';

/**
 * Handlers of a workspace's and of an intern's secrets look alike and stay apart: they call different methods with
 * different parameters, and each does nothing else.
 */
export const vaultRoutes: RoutesOf<typeof vaultOperations, { vault: VaultService }> = {
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

  /**
   * Handles `GET /vault/interns/{internId}/secrets`: lists the secrets in an intern's own vault, without their values.
   */
  listInternVaultSecrets: async ({ principal, params, query }, { services }) => {
    const { secrets, hasMore } = await services.vault.listOfIntern(principal, params.internId, query);
    return { status: 200, body: { data: secrets.map(presentSecret), has_more: hasMore } };
  },

  /** Handles `PUT /vault/interns/{internId}/secrets/{name}`: stores a secret in an intern's vault, or replaces it. */
  storeInternVaultSecret: async (call, { services }) => {
    const { internId, name } = call.params;
    const secret = await services.vault.putInIntern(call, internId, { name, ...call.body });
    return { status: 200, body: { data: presentSecret(secret) } };
  },

  /** Handles `DELETE /vault/interns/{internId}/secrets/{name}`: deletes a secret from an intern's vault. */
  deleteInternVaultSecret: async (call, { services }) => {
    await services.vault.deleteFromIntern(call, call.params.internId, call.params.name);
    return { status: 204 };
  },

  /** Handles `POST /vault/interns/{internId}/secrets/copy`: copies secrets of the workspace into an intern's vault. */
  copyVaultSecretsToIntern: async (call, { services }) => {
    const copies = await services.vault.copyToIntern(call, call.params.internId, call.body.names);
    return { status: 200, body: { data: copies.map(presentSecret) } };
  },

  /**
   * Handles `GET /vault/interns/{internId}/effective-secrets`: lists the secrets that requests of an intern receive,
   * without their values.
   */
  listEffectiveSecrets: async ({ principal, params, query }, { services }) => {
    const { secrets, hasMore } = await services.vault.effectiveSecrets(principal, params.internId, query);
    return { status: 200, body: { data: secrets.map(presentEffectiveSecret), has_more: hasMore } };
  },

  /**
   * Handles `GET /vault/interns/{internId}/connections`: returns an empty list, because interns have no connections.
   */
  listInternConnections: async ({ principal, params }, { services }) => {
    const data = await services.vault.connections(principal, params.internId);
    return { status: 200, body: { data } };
  },
};

/** Presents a secret with every field: published clients reject a record that lacks one. */
function presentSecret({ name, hosts, fingerprint, createdAt }: SecretMetadata): VaultSecretRecord {
  return {
    name,
    hosts: hosts === null ? null : [...hosts],
    fingerprint,
    created_at: createdAt.toISOString(),
  };
}

function presentEffectiveSecret(secret: EffectiveMetadata): EffectiveSecretRecord {
  return { ...presentSecret(secret), scope: secret.scope };
}
