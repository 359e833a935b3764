/** Lists the secrets and connections that requests of an intern receive. */
import type { vaultEffectiveOperations } from '../../contract/interns/vault-effective.ts';
import type { VaultService } from '../../services/interns/vault/vault-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { presentEffectiveSecret } from './vault-secrets.ts';

export const vaultEffectiveRoutes: RoutesOf<typeof vaultEffectiveOperations, { vault: VaultService }> = {
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
