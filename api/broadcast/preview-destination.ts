/**
 * Handles `POST /observability/destinations/preview`: shows what a destination would receive of a generation, without
 * sending it.
 */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';
import { toDestinationDraft } from './to-destination-changes.ts';

export const previewObservabilityDestination = defineRoute(
  operations.previewObservabilityDestination,
  async ({ principal, body }, { services }) => {
    const data = await services.destinations.preview(
      principal.organizationId,
      toDestinationDraft(body),
      body.generation_id,
    );
    return { status: 200, body: { data } };
  },
);
