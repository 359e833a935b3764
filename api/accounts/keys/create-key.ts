/** Handles `POST /keys`: creates an API key and shows it once. */
import type { CreatedKeyAnswer } from '../../../contract/accounts/key.ts';
import { operations } from '../../../contract/operations.ts';
import { presentCreatedKey } from './present-api-key.ts';
import { defineRoute } from '../../http/route.ts';
import { toKeyDraft } from './to-key-draft.ts';

export const createKey = defineRoute(
  operations.createKey,
  async ({ principal, client, body, idempotency }, { services }) => {
    const result = await services.apiKeys.create({ principal, client }, toKeyDraft(body), {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: (created) => ({ status: 201, body: presentCreatedKey(created) }),
    });
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as CreatedKeyAnswer,
    };
  },
);
