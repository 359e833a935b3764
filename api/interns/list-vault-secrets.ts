/** Handles `GET /vault/secrets`: lists the secrets of the key's workspace, without their values. */
import { operations } from '../../contract/operations.ts';
import { presentSecret } from './present-intern-secret.ts';
import { defineRoute } from '../http/route.ts';

export const listVaultSecrets = defineRoute(
  operations.listVaultSecrets,
  async ({ principal, query }, { services }) => {
    const { secrets, hasMore } = await services.vault.listOfWorkspace(principal, query);
    return { status: 200, body: { data: secrets.map(presentSecret), has_more: hasMore } };
  },
);
