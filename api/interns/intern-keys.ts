/** Answers the operations on the keys of an intern. */
import type { internKeyOperations } from '../../contract/interns/intern-keys.ts';
import type { InternKeyService } from '../../services/interns/intern-key-service.ts';
import { answerCreatedKey, presentApiKey, toKeyDraft, toKeyPage } from '../accounts/keys.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import type { RoutesOf } from '../http/route.ts';

export const internKeyRoutes: RoutesOf<typeof internKeyOperations, { internKeys: InternKeyService }> = {
  /** Handles `POST /interns/{internId}/keys`: creates a key that is confined to an intern, and shows it once. */
  createInternKey: (call, { services }) =>
    answerIdempotently(call, answerCreatedKey, (once) =>
      services.internKeys.create(call, call.params.internId, toKeyDraft(call.body), once),
    ),

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
