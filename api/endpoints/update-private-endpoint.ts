/** Handles `PATCH /private-endpoints/{id}`: replaces the upstream and the declarations of a draft. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentPrivateEndpoint } from './present-private-endpoint.ts';
import { defineRoute } from '../http/route.ts';
import { admitEndpointId } from './admit-endpoint-id.ts';
import { toEndpointChanges } from './to-endpoint-draft.ts';

export const updatePrivateEndpoint = defineRoute(
  operations.updatePrivateEndpoint,
  async ({ principal, client, params, body }, { services }) => {
    const actor = actorOf(principal, client);
    const endpoint = await services.privateEndpoints.update(actor, params.id, toEndpointChanges(body));
    return { status: 200, body: { data: presentPrivateEndpoint(endpoint) } };
  },
  admitEndpointId,
);
