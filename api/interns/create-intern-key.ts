/** Handles `POST /interns/{internId}/keys`: creates a key that is confined to an intern, and shows it once. */
import type { CreatedKeyAnswer } from '../../contract/accounts/key.ts';
import { operations } from '../../contract/operations.ts';
import { presentCreatedKey, toKeyDraft } from '../accounts/keys.ts';
import { defineRoute } from '../http/route.ts';

export const createInternKey = defineRoute(
  operations.createInternKey,
  async ({ principal, client, params, body, idempotency }, { services }) => {
    const result = await services.internKeys.create(
      { principal, client },
      params.internId,
      toKeyDraft(body),
      {
        ...(idempotency === undefined ? {} : { idempotency }),
        respond: (created) => ({ status: 201, body: presentCreatedKey(created) }),
      },
    );
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as CreatedKeyAnswer,
    };
  },
);
