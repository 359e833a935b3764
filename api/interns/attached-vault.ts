/** Lets an intern use the vault of another intern, or stops it. */
import type { attachedVaultOperations } from '../../contract/interns/attached-vault.ts';
import type { InternService } from '../../services/interns/intern-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { presentIntern } from './interns.ts';

export const attachedVaultRoutes: RoutesOf<typeof attachedVaultOperations, { interns: InternService }> = {
  /** Handles `PUT /interns/{internId}/attached-vault`: lets an intern use the vault of another intern. */
  attachVault: async ({ principal, client, params, body }, { services }) => {
    const intern = await services.interns.attach({ principal, client }, params.internId, body.vault_id);
    return { status: 200, body: presentIntern(intern) };
  },

  /** Handles `DELETE /interns/{internId}/attached-vault`: stops an intern from using another intern's vault. */
  detachVault: async ({ principal, client, params }, { services }) => {
    const intern = await services.interns.detach({ principal, client }, params.internId);
    return { status: 200, body: presentIntern(intern) };
  },
};
