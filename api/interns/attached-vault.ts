/** Lets an intern use the vault of another intern, or stops it. */
import type { attachedVaultOperations } from '../../contract/interns/attached-vault.ts';
import type { InternService } from '../../services/interns/intern-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { presentIntern } from './interns.ts';

export const attachedVaultRoutes: RoutesOf<typeof attachedVaultOperations, { interns: InternService }> = {
  /** Handles `PUT /interns/{internId}/attached-vault`: lets an intern use the vault of another intern. */
  attachVault: async (call, { services }) => {
    const intern = await services.interns.attach(call, call.params.internId, call.body.vault_id);
    return { status: 200, body: presentIntern(intern) };
  },

  /** Handles `DELETE /interns/{internId}/attached-vault`: stops an intern from using another intern's vault. */
  detachVault: async (call, { services }) => {
    const intern = await services.interns.detach(call, call.params.internId);
    return { status: 200, body: presentIntern(intern) };
  },
};
