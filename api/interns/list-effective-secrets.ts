/**
 * Handles `GET /vault/interns/{internId}/effective-secrets`: lists the secrets that requests of an intern receive,
 * without their values.
 */
import { operations } from '../../contract/operations.ts';
import { presentEffectiveSecret } from './present-intern-secret.ts';
import { defineRoute } from '../http/route.ts';

export const listEffectiveSecrets = defineRoute(
  operations.listEffectiveSecrets,
  async ({ principal, params, query }, { services }) => {
    const { secrets, hasMore } = await services.vault.effectiveSecrets(principal, params.internId, query);
    return { status: 200, body: { data: secrets.map(presentEffectiveSecret), has_more: hasMore } };
  },
);
