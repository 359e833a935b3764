/** Handles `DELETE /scim/tokens/{id}`: revokes the bearer token of an identity provider. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { defineRoute } from '../http/route.ts';

export const deleteScimToken = defineRoute(
  operations.deleteScimToken,
  async ({ principal, client, params }, { services }) => {
    await services.scimTokens.remove(actorOf(principal, client), params.id);
    return { status: 200, body: { deleted: true } };
  },
);
