/** Handles `DELETE /private-endpoints/{id}`: deletes a private endpoint, or only a draft on request. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { defineRoute } from '../http/route.ts';
import { admitEndpointId } from './admit-endpoint-id.ts';

export const deletePrivateEndpoint = defineRoute(
  operations.deletePrivateEndpoint,
  async ({ principal, client, params, query }, { services }) => {
    const options = { draftOnly: query.draft_only ?? false };
    const id = await services.privateEndpoints.remove(actorOf(principal, client), params.id, options);
    return { status: 200, body: { data: { id } } };
  },
  admitEndpointId,
);
