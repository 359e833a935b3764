/** Handles `GET /observability/destinations`: lists the destinations to which a workspace forwards its generations. */
import { operations } from '../../contract/operations.ts';
import { presentDestination } from './present-destination.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';
import { defineRoute } from '../http/route.ts';

export const listObservabilityDestinations = defineRoute(
  operations.listObservabilityDestinations,
  async ({ principal, query: { limit, offset, workspace_id: workspaceId } }, { services }) => {
    const { destinations, totalCount } = await services.destinations.list(
      principal.organizationId,
      withoutUndefined({ limit, offset, workspaceId }),
    );
    return {
      status: 200,
      body: { data: destinations.map(presentDestination), total_count: totalCount },
    };
  },
);
