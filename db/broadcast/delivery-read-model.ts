/** Returns the delivery state and the backlog of the given observability destinations. */
import { DELIVERY_STATES, type DeliveryState } from '../../domain/broadcast/destination.ts';
import type { Handle } from '../postgres/connection.ts';
import { float8, oneOf, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';
import { BEHIND } from './behind.ts';

/** The progress of a destination, and the reason if it is blocked. */
export interface Delivery {
  state: DeliveryState;
  reason: string | null;
  nextAttemptAt: Date | null;
  /** Rows of the log that the destination has not processed. */
  backlog: number;
  /** Null without a backlog. */
  oldestAgeSeconds: number | null;
  delivered: number;
  rejected: number;
  withoutContent: number;
  undecided: number;
  givenUp: number;
  deadLetters: number;
}

/** Counts are float8: they pass no number that a number cannot hold exactly. */
const DELIVERY = {
  destinationId: uuid,
  state: oneOf(DELIVERY_STATES),
  reason: text.orNull,
  nextAttemptAt: timestamptz.orNull,
  backlog: float8,
  oldestAgeSeconds: float8.orNull,
  delivered: float8,
  rejected: float8,
  withoutContent: float8,
  undecided: float8,
  givenUp: float8,
  deadLetters: float8,
};

const DELIVERIES = `
  select p.destination_id "destinationId", p.state, p.reason, p.next_attempt_at "nextAttemptAt",
    coalesce(behind.backlog, 0)::float8 backlog, floor(behind.oldest_age_seconds)::float8 "oldestAgeSeconds",
    p.delivered::float8, p.rejected::float8, p.without_content::float8 "withoutContent", p.undecided::float8,
    p.given_up::float8 "givenUp", p.dead_letters::float8 "deadLetters"
  from broadcast_progress p
  join observability_destinations d on d.id = p.destination_id
  cross join lateral ${BEHIND} behind
  where p.destination_id = any(:ids)`;

/** Reads the progress of destinations by their ids. */
export async function readDeliveries(handle: Handle, ids: readonly string[]): Promise<Map<string, Delivery>> {
  const rows = await rowsOf(handle, DELIVERY, DELIVERIES, { ids });
  return new Map(rows.map(({ destinationId, ...delivery }) => [destinationId, delivery]));
}
