import type { KnownIntern } from '../../domain/interns/intern.ts';
import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';

/** Reads and writes `interns`. A deleted intern has no row. */
export function createInternStore(handle: Handle) {
  return {
    /** Returns the intern of any organization with the facts that signing and egress remember. */
    async findKnown(id: string): Promise<KnownIntern | null> {
      const [intern] = await rowsOf<KnownIntern>(
        handle,
        `select i.id, i.organization_id "organizationId", i.workspace_id "workspaceId", v.id "vaultId",
           i.attached_vault_id "attachedVaultId"
         from interns i join vaults v on v.intern_id = i.id where i.id = ?`,
        [id],
      );
      return intern ?? null;
    },
  };
}

export type InternStore = ReturnType<typeof createInternStore>;
