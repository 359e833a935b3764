/** Handles `GET /observability/destinations/{id}`: returns one destination of the organization. */
import { operations } from '../../contract/operations.ts';
import { presentDestination } from './present-destination.ts';
import { defineRoute } from '../http/route.ts';

export const getObservabilityDestination = defineRoute(
  operations.getObservabilityDestination,
  async ({ principal, params }, { services }) => {
    const destination = await services.destinations.get(principal.organizationId, params.id);
    return { status: 200, body: { data: presentDestination(destination) } };
  },
);
