/** Handles `POST /vault/interns/{internId}/secrets/copy`: copies secrets of the workspace into an intern's vault. */
import { operations } from '../../contract/operations.ts';
import { presentSecret } from './present-intern-secret.ts';
import { defineRoute } from '../http/route.ts';

export const copyVaultSecretsToIntern = defineRoute(
  operations.copyVaultSecretsToIntern,
  async ({ principal, client, params, body }, { services }) => {
    const copies = await services.vault.copyToIntern({ principal, client }, params.internId, body.names);
    return { status: 200, body: { data: copies.map(presentSecret) } };
  },
);
