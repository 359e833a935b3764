/** Answers the operations on the keys of an intern. */
import type { CreatedKeyAnswer } from '../../contract/accounts/key.ts';
import type { internKeyOperations } from '../../contract/interns/intern-keys.ts';
import type { InternKeyService } from '../../services/interns/intern-key-service.ts';
import { presentApiKey, presentCreatedKey, toKeyDraft, toKeyPage } from '../accounts/keys.ts';
import type { RoutesOf } from '../http/route.ts';

export const internKeyRoutes: RoutesOf<typeof internKeyOperations, { internKeys: InternKeyService }> = {
  /** Handles `POST /interns/{internId}/keys`: creates a key that is confined to an intern, and shows it once. */
  createInternKey: async (call, { services }) => {
    const result = await services.internKeys.create(call, call.params.internId, toKeyDraft(call.body), {
      ...(call.idempotency === undefined ? {} : { idempotency: call.idempotency }),
      respond: (created) => ({ status: 201, body: presentCreatedKey(created) }),
    });
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as CreatedKeyAnswer,
    };
  },

  /** Handles `GET /interns/{internId}/keys`: lists the keys of an intern. */
  listInternKeys: async ({ principal, params, query }, { services }) => {
    const keys = await services.internKeys.list(principal, params.internId, toKeyPage(query));
    return { status: 200, body: { data: keys.map(presentApiKey) } };
  },

  /** Handles `DELETE /interns/{internId}/keys/{hash}`: deletes a key of an intern. */
  deleteInternKey: async (call, { services }) => {
    await services.internKeys.remove(call, call.params.internId, call.params.hash);
    return { status: 200, body: { deleted: true } };
  },
};
