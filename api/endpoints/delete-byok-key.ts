/** Handles `DELETE /byok/{id}`: deletes a customer's own key of a provider. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { defineRoute } from '../http/route.ts';

export const deleteByokKey = defineRoute(
  operations.deleteByokKey,
  async ({ principal, client, params }, { services }) => {
    await services.credentials.remove(actorOf(principal, client), params.id);
    return { status: 200, body: { deleted: true } };
  },
);
