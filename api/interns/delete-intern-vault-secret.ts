/** Handles `DELETE /vault/interns/{internId}/secrets/{name}`: deletes a secret from an intern's vault. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';

export const deleteInternVaultSecret = defineRoute(
  operations.deleteInternVaultSecret,
  async ({ principal, client, params }, { services }) => {
    await services.vault.deleteFromIntern({ principal, client }, params.internId, params.name);
    return { status: 204 };
  },
);
