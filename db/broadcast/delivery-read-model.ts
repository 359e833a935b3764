/** Returns the delivery state and the backlog of the given observability destinations. */
import type { DeliveryState } from '../../domain/broadcast/destination.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
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

interface DeliveryRow {
  destination_id: string;
  state: DeliveryState;
  reason: string | null;
  next_attempt_at: Date | null;
  delivered: string;
  rejected: string;
  without_content: string;
  undecided: string;
  given_up: string;
  dead_letters: string;
  backlog: string | null;
  oldest_age_seconds: string | null;
}

const DELIVERIES = `
  select p.destination_id, p.state, p.reason, p.next_attempt_at, p.delivered, p.rejected, p.without_content,
    p.undecided, p.given_up, p.dead_letters, behind.backlog, behind.oldest_age_seconds
  from broadcast_progress p
  join observability_destinations d on d.id = p.destination_id
  cross join lateral ${BEHIND} behind
  where p.destination_id = any(?)`;

/** Reads the progress of destinations by their ids. */
export async function readDeliveries(handle: Handle, ids: readonly string[]): Promise<Map<string, Delivery>> {
  const rows = await uncheckedRowsOf<DeliveryRow>(handle, DELIVERIES, [[...ids]]);
  return new Map(rows.map((row) => [row.destination_id, toDelivery(row)]));
}

function toDelivery(row: DeliveryRow): Delivery {
  const age = row.oldest_age_seconds;
  return {
    state: row.state,
    reason: row.reason,
    nextAttemptAt: row.next_attempt_at,
    backlog: Number(row.backlog ?? 0),
    oldestAgeSeconds: age === null ? null : Math.floor(Number(age)),
    delivered: Number(row.delivered),
    rejected: Number(row.rejected),
    withoutContent: Number(row.without_content),
    undecided: Number(row.undecided),
    givenUp: Number(row.given_up),
    deadLetters: Number(row.dead_letters),
  };
}
