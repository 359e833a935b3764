/** Handles `GET /private-endpoints`: lists the private endpoints of the organization. */
import { operations } from '../../contract/operations.ts';
import { presentEndpointSummary } from './present-private-endpoint.ts';
import { defineRoute } from '../http/route.ts';

export const listPrivateEndpoints = defineRoute(
  operations.listPrivateEndpoints,
  async ({ principal }, { services }) => {
    const endpoints = await services.privateEndpoints.list(principal.organizationId);
    return { status: 200, body: { data: endpoints.map(presentEndpointSummary) } };
  },
);
