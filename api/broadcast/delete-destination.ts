/**
 * Handles `DELETE /observability/destinations/{id}`: deletes a destination; generations that wait for it are not sent.
 */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { defineRoute } from '../http/route.ts';

export const deleteObservabilityDestination = defineRoute(
  operations.deleteObservabilityDestination,
  async ({ principal, client, params }, { services }) => {
    await services.destinations.remove(actorOf(principal, client), params.id);
    return { status: 200, body: { deleted: true } };
  },
);
