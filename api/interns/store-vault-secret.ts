/** Handles `PUT /vault/secrets/{name}`: stores a secret of the workspace, or replaces it. */
import { operations } from '../../contract/operations.ts';
import { presentSecret } from './present-intern-secret.ts';
import { defineRoute } from '../http/route.ts';

export const storeVaultSecret = defineRoute(
  operations.storeVaultSecret,
  async ({ principal, client, params, body }, { services }) => {
    const secret = await services.vault.putInWorkspace({ principal, client }, { ...params, ...body });
    return { status: 200, body: { data: presentSecret(secret) } };
  },
);
