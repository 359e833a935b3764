/** Counts observability destinations and their backlog over all customers, for the worker's metrics. */
import { DELIVERY_STATES, DESTINATION_TYPES } from '../../domain/broadcast/destination.ts';
import type { Handle } from '../postgres/connection.ts';
import { float8, int4, oneOf, type RowOf } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';
import { BEHIND } from './behind.ts';

const GROUP = {
  type: oneOf(DESTINATION_TYPES),
  state: oneOf(DELIVERY_STATES),
  destinations: int4,
  /** The generations that wait for these destinations. */
  backlog: float8,
  /** The age of the oldest waiting generation; 0 without one. */
  oldestSeconds: float8,
  /** The generations that their filters could not decide. */
  undecided: float8,
};
/** The number and backlog of all customers' destinations of one type in one state. */
export type DestinationGroup = RowOf<typeof GROUP>;

/** Reads the backlog of destinations by type and state. Disabled ones do not count. */
export function readDestinationGroups(handle: Handle): Promise<DestinationGroup[]> {
  return rowsOf(
    handle,
    GROUP,
    `select d.type, p.state, count(*)::integer destinations, sum(behind.backlog)::float8 backlog,
       coalesce(max(behind.oldest_age_seconds), 0)::float8 "oldestSeconds", sum(p.undecided)::float8 undecided
     from observability_destinations d
     join broadcast_progress p on p.destination_id = d.id
     cross join lateral ${BEHIND} behind
     where d.enabled or p.state = 'disabled'
     group by d.type, p.state`,
  );
}
