/** Handles `POST /byok`: stores the customer's own key of a provider (BYOK). */
import type { ByokKeyAnswer } from '../../contract/endpoints/byok-keys.ts';
import { operations } from '../../contract/operations.ts';
import { presentByokKey } from './present-byok-key.ts';
import { defineRoute } from '../http/route.ts';
import { toCredentialDraft } from './to-credential-changes.ts';

export const createByokKey = defineRoute(
  operations.createByokKey,
  async ({ principal, client, body, idempotency }, { services }) => {
    const result = await services.credentials.create({ principal, client }, toCredentialDraft(body), {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: (credential) => ({ status: 201, body: { data: presentByokKey(credential) } }),
    });
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // The result of `respond`, now or when the key was first used.
      body: result.body as ByokKeyAnswer,
    };
  },
);
