import { operations } from '../../../contract/operations.ts';
import { presentSecret } from '../../presenters/intern-secret.ts';
import { defineRoute } from '../../route.ts';

export const storeVaultSecret = defineRoute(
  operations.storeVaultSecret,
  async ({ principal, client, params, body }, { services }) => {
    const secret = await services.vault.putInWorkspace({ principal, client }, { ...params, ...body });
    return { status: 200, body: { data: presentSecret(secret) } };
  },
);
