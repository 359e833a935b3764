/** Handles `PUT /private-endpoints/{id}/pricing`: replaces the prices of a private endpoint. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentPrivateEndpoint } from './present-private-endpoint.ts';
import { defineRoute } from '../http/route.ts';
import { admitEndpointId } from './admit-endpoint-id.ts';
import { toStatedPricing } from './to-endpoint-draft.ts';

export const setPrivateEndpointPricing = defineRoute(
  operations.setPrivateEndpointPricing,
  async ({ principal, client, params, body }, { services }) => {
    const pricing = toStatedPricing(body.pricing);
    const actor = actorOf(principal, client);
    const endpoint = await services.privateEndpoints.setPricing(actor, params.id, pricing);
    return { status: 200, body: { data: presentPrivateEndpoint(endpoint) } };
  },
  admitEndpointId,
);
