/** Handles `POST /private-endpoints/{id}/activate`: lets a validated draft serve requests. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentManagedEndpoint } from './present-private-endpoint.ts';
import { defineRoute } from '../http/route.ts';

export const activatePrivateEndpoint = defineRoute(
  operations.activatePrivateEndpoint,
  async ({ principal, client, params }, { services }) => {
    const endpoint = await services.privateEndpoints.activate(actorOf(principal, client), params.id);
    return { status: 200, body: { data: presentManagedEndpoint(endpoint) } };
  },
);
