/** Previews what an observability destination would receive. */
import type { destinationPreviewOperations } from '../../contract/broadcast/destination-preview.ts';
import type { DestinationService } from '../../services/broadcast/destination-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { toDestinationDraft } from './destinations.ts';

export const destinationPreviewRoutes: RoutesOf<
  typeof destinationPreviewOperations,
  { destinations: DestinationService }
> = {
  /**
   * Handles `POST /observability/destinations/preview`: shows what a destination would receive of a generation, without
   * sending it.
   */
  previewObservabilityDestination: async ({ principal, body }, { services }) => {
    const data = await services.destinations.preview(
      principal.organizationId,
      toDestinationDraft(body),
      body.generation_id,
    );
    return { status: 200, body: { data } };
  },

  /**
   * Handles `GET /observability/destinations/{id}/preview`: shows what an existing destination would receive of a
   * generation.
   */
  previewStoredObservabilityDestination: async ({ principal, params, query }, { services }) => {
    const data = await services.destinations.previewStored(
      principal.organizationId,
      params.id,
      query.generation_id,
    );
    return { status: 200, body: { data } };
  },
};
