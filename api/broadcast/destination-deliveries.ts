/** Tests an observability destination, and lists and repeats its deliveries. */
import type {
  AttemptRecord,
  DeadLetterRecord,
  destinationDeliveryOperations,
} from '../../contract/broadcast/destination-deliveries.ts';
import { toMoment } from '../../contract/moment.ts';
import type { ShownAttempt, ShownDeadLetter } from '../../db/broadcast/delivery-history.ts';
import { actorOf } from '../../domain/principal.ts';
import type { DestinationService } from '../../services/broadcast/destination-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const destinationDeliveryRoutes: RoutesOf<
  typeof destinationDeliveryOperations,
  { destinations: DestinationService }
> = {
  /** Handles `POST /observability/destinations/{id}/test`: sends a test to a destination and returns the result. */
  testObservabilityDestination: async ({ principal, params, gone }, { services }) => {
    const { passed, status, text } = await services.destinations.test(
      principal.organizationId,
      params.id,
      gone(),
    );
    return { status: 200, body: { data: { passed, status, text } } };
  },

  /**
   * Handles `GET /observability/destinations/{id}/deliveries`: lists the attempts to deliver generations to a
   * destination.
   */
  listObservabilityDeliveries: async ({ principal, params, query }, { services }) => {
    const { attempts, totalCount } = await services.destinations.listAttempts(
      principal.organizationId,
      params.id,
      query,
    );
    return { status: 200, body: { data: attempts.map(presentAttempt), total_count: totalCount } };
  },

  /**
   * Handles `GET /observability/destinations/{id}/dead-letters`: lists the generations that could not be delivered to a
   * destination.
   */
  listObservabilityDeadLetters: async ({ principal, params, query }, { services }) => {
    const { deadLetters, totalCount } = await services.destinations.listDeadLetters(
      principal.organizationId,
      params.id,
      { ...query, since: query.since === undefined ? undefined : toMoment(query.since) },
    );
    return { status: 200, body: { data: deadLetters.map(presentDeadLetter), total_count: totalCount } };
  },

  /**
   * Handles `POST /observability/destinations/{id}/dead-letters/replay`: schedules dead letters of a destination to be
   * sent again.
   */
  replayObservabilityDeadLetters: async (call, { services }) => {
    const { ids, since } = call.body;
    const selection = { ids, since: since === undefined ? undefined : toMoment(since) };
    const count = await services.destinations.replay(actorOf(call), call.params.id, selection);
    return { status: 202, body: { data: { count } } };
  },
};

function presentAttempt(attempt: ShownAttempt): AttemptRecord {
  return {
    at: attempt.at.toISOString(),
    outcome: attempt.outcome,
    events: attempt.events,
    bytes: attempt.bytes,
    status: attempt.status,
    reason: attempt.reason,
    response_excerpt: attempt.responseExcerpt,
    took_ms: attempt.tookMs,
  };
}

/** Presents a dead letter without its content. */
function presentDeadLetter(deadLetter: ShownDeadLetter): DeadLetterRecord {
  return {
    id: deadLetter.id,
    generation_id: deadLetter.generationId,
    generation_created_at: deadLetter.generationCreatedAt.toISOString(),
    reason: deadLetter.reason,
    status: deadLetter.status,
    died_at: deadLetter.diedAt.toISOString(),
    replay_requested_at: deadLetter.replayRequestedAt?.toISOString() ?? null,
  };
}
