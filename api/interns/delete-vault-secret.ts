/** Handles `DELETE /vault/secrets/{name}`: deletes a secret of the workspace. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';

export const deleteVaultSecret = defineRoute(
  operations.deleteVaultSecret,
  async ({ principal, client, params }, { services }) => {
    await services.vault.deleteFromWorkspace({ principal, client }, params.name);
    return { status: 204 };
  },
);
