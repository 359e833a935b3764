/** Handles `PUT /vault/interns/{internId}/secrets/{name}`: stores a secret in an intern's vault, or replaces it. */
import { operations } from '../../contract/operations.ts';
import { presentSecret } from './present-intern-secret.ts';
import { defineRoute } from '../http/route.ts';

export const storeInternVaultSecret = defineRoute(
  operations.storeInternVaultSecret,
  async ({ principal, client, params, body }, { services }) => {
    const { internId, name } = params;
    const secret = await services.vault.putInIntern({ principal, client }, internId, { name, ...body });
    return { status: 200, body: { data: presentSecret(secret) } };
  },
);
