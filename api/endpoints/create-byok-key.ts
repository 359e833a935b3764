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
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as ByokKeyAnswer,
    };
  },
);
