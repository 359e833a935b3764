/**
 * Handles `GET /observability/destinations/{id}/deliveries`: lists the attempts to deliver generations to a
 * destination.
 */
import { operations } from '../../contract/operations.ts';
import { presentAttempt } from './present-destination-delivery.ts';
import { defineRoute } from '../http/route.ts';

export const listObservabilityDeliveries = defineRoute(
  operations.listObservabilityDeliveries,
  async ({ principal, params, query }, { services }) => {
    const { attempts, totalCount } = await services.destinations.listAttempts(
      principal.organizationId,
      params.id,
      query,
    );
    return { status: 200, body: { data: attempts.map(presentAttempt), total_count: totalCount } };
  },
);
