/**
 * Handles `POST /observability/destinations/{id}/dead-letters/replay`: schedules dead letters of a destination to be
 * sent again.
 */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { defineRoute } from '../http/route.ts';

export const replayObservabilityDeadLetters = defineRoute(
  operations.replayObservabilityDeadLetters,
  async ({ principal, client, params, body: { ids = null } }, { services }) => {
    const count = await services.destinations.replay(actorOf(principal, client), params.id, ids);
    return { status: 202, body: { data: { count } } };
  },
);
