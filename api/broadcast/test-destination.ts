/** Handles `POST /observability/destinations/{id}/test`: sends a test to a destination and returns the result. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';

export const testObservabilityDestination = defineRoute(
  operations.testObservabilityDestination,
  async ({ principal, params, gone }, { services }) => {
    const { passed, status, text } = await services.destinations.test(
      principal.organizationId,
      params.id,
      gone(),
    );
    return { status: 200, body: { data: { passed, status, text } } };
  },
);
