/** Answers the operations on the secrets in an intern's vault. */
import type { vaultInternSecretOperations } from '../../contract/interns/vault-intern-secrets.ts';
import type { VaultService } from '../../services/interns/vault/vault-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { presentSecret } from './vault-secrets.ts';

interface Used {
  vault: VaultService;
}

export const vaultInternSecretRoutes: RoutesOf<typeof vaultInternSecretOperations, Used> = {
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
};
