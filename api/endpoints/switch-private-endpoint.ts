/**
 * Handles `POST /private-endpoints/{id}/enable` and `POST /private-endpoints/{id}/disable`: switches a private endpoint
 * on or off.
 */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentManagedEndpoint } from './present-private-endpoint.ts';
import { defineRoute } from '../http/route.ts';

export const enablePrivateEndpoint = defineRoute(
  operations.enablePrivateEndpoint,
  async ({ principal, client, params }, { services }) => {
    const actor = actorOf(principal, client);
    const endpoint = await services.privateEndpoints.switch(actor, params.id, 'active');
    return { status: 200, body: { data: presentManagedEndpoint(endpoint) } };
  },
);

export const disablePrivateEndpoint = defineRoute(
  operations.disablePrivateEndpoint,
  async ({ principal, client, params }, { services }) => {
    const actor = actorOf(principal, client);
    const endpoint = await services.privateEndpoints.switch(actor, params.id, 'disabled');
    return { status: 200, body: { data: presentManagedEndpoint(endpoint) } };
  },
);
