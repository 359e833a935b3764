/**
 * Handles `GET /observability/destinations/{id}/dead-letters`: lists the generations that could not be delivered to a
 * destination.
 */
import { operations } from '../../contract/operations.ts';
import { presentDeadLetter } from './present-destination-delivery.ts';
import { defineRoute } from '../http/route.ts';

export const listObservabilityDeadLetters = defineRoute(
  operations.listObservabilityDeadLetters,
  async ({ principal, params, query }, { services }) => {
    const { deadLetters, totalCount } = await services.destinations.listDeadLetters(
      principal.organizationId,
      params.id,
      query,
    );
    return { status: 200, body: { data: deadLetters.map(presentDeadLetter), total_count: totalCount } };
  },
);
