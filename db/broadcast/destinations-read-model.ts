import type { DeliveryState, DestinationType } from '../../domain/broadcast/destination.ts';
import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';
import { BEHIND } from './behind.ts';

/** The destinations of one type in one state, of all customers. */
export interface DestinationGroup {
  type: DestinationType;
  state: DeliveryState;
  destinations: number;
  /** Generations that wait for them. */
  backlog: number;
  /** Age of the oldest generation that waits; 0 without one. */
  oldestSeconds: number;
}

/** Reads how far destinations are behind, by type and state. Those that nobody has enabled do not count. */
export function readDestinationGroups(handle: Handle): Promise<DestinationGroup[]> {
  return rowsOf<DestinationGroup>(
    handle,
    `select d.type, p.state, count(*)::integer destinations, sum(behind.backlog)::float8 backlog,
       coalesce(max(behind.oldest_age_seconds), 0)::float8 "oldestSeconds"
     from observability_destinations d
     join broadcast_progress p on p.destination_id = d.id
     cross join lateral ${BEHIND} behind
     where d.enabled or p.state = 'disabled'
     group by d.type, p.state`,
    [],
  );
}
