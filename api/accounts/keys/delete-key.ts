/** Handles `DELETE /keys/{hash}`: deletes an API key of the organization. */
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { defineRoute } from '../../http/route.ts';

export const deleteKey = defineRoute(
  operations.deleteKey,
  async ({ principal, client, params }, { services }) => {
    await services.apiKeys.remove(actorOf(principal, client), params.hash);
    return { status: 200, body: { deleted: true } };
  },
);
