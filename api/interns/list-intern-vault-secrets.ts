/**
 * Handles `GET /vault/interns/{internId}/secrets`: lists the secrets in an intern's own vault, without their values.
 */
import { operations } from '../../contract/operations.ts';
import { presentSecret } from './present-intern-secret.ts';
import { defineRoute } from '../http/route.ts';

export const listInternVaultSecrets = defineRoute(
  operations.listInternVaultSecrets,
  async ({ principal, params, query }, { services }) => {
    const { secrets, hasMore } = await services.vault.listOfIntern(principal, params.internId, query);
    return { status: 200, body: { data: secrets.map(presentSecret), has_more: hasMore } };
  },
);
