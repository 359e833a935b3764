/** Presents the delivery history of an observability destination: attempts and dead letters. */
import type { AttemptRecord, DeadLetterRecord } from '../../contract/broadcast/destination-deliveries.ts';
import type { ShownAttempt, ShownDeadLetter } from '../../db/broadcast/delivery-history.ts';

export function presentAttempt(attempt: ShownAttempt): AttemptRecord {
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
export function presentDeadLetter(letter: ShownDeadLetter): DeadLetterRecord {
  return {
    id: letter.id,
    generation_id: letter.generationId,
    generation_created_at: letter.generationCreatedAt.toISOString(),
    reason: letter.reason,
    status: letter.status,
    died_at: letter.diedAt.toISOString(),
    replay_requested_at: letter.replayRequestedAt?.toISOString() ?? null,
  };
}
