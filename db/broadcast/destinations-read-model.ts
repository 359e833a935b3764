/** Counts observability destinations and their backlog over all customers, for the worker's metrics. */
import type { DeliveryState, DestinationType } from '../../domain/broadcast/destination.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { BEHIND } from './behind.ts';

/** The number and backlog of all customers' destinations of one type in one state. */
export interface DestinationGroup {
  type: DestinationType;
  state: DeliveryState;
  destinations: number;
  /** The generations that wait for these destinations. */
  backlog: number;
  /** The age of the oldest waiting generation; 0 without one. */
  oldestSeconds: number;
  /** The generations that their filters could not decide. */
  undecided: number;
}

/** Reads the backlog of destinations by type and state. Disabled ones do not count. */
export function readDestinationGroups(handle: Handle): Promise<DestinationGroup[]> {
  return uncheckedRowsOf<DestinationGroup>(
    handle,
    `select d.type, p.state, count(*)::integer destinations, sum(behind.backlog)::float8 backlog,
       coalesce(max(behind.oldest_age_seconds), 0)::float8 "oldestSeconds", sum(p.undecided)::float8 undecided
     from observability_destinations d
     join broadcast_progress p on p.destination_id = d.id
     cross join lateral ${BEHIND} behind
     where d.enabled or p.state = 'disabled'
     group by d.type, p.state`,
    [],
  );
}
