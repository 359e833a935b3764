/** Selects observability destinations that have generations to send but no running delivery. */
import type { DeliverBroadcastInput } from '../../domain/runs.ts';
import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';

/** A destination, with the facts that the start of its run needs. */
export interface WakableDestination extends DeliverBroadcastInput {
  organizationId: string;
}

const WAKABLE =
  'd.id "destinationId", d.organization_id "organizationId", d.workspace_id "workspaceId", d.type';

const FIND = `select ${WAKABLE}
  from observability_destinations d join broadcast_progress p on p.destination_id = d.id
  where d.id = ? and (d.enabled or p.state not in ('idle', 'disabled'))`;

/**
 * Returns SQL that selects idle destinations with unprocessed entries, and marks them as nudged. They are not selected
 * again for 15 seconds, in which their pump can start.
 */
const nudged = (condition: string): string => `
  update broadcast_progress p set nudged_at = now() from observability_destinations d
  where d.id = p.destination_id and d.enabled and p.state = 'idle'
    and (p.nudged_at is null or p.nudged_at < now() - interval '15 seconds')
    and exists (
      select from broadcast_cursors c
      join broadcast_heads h on h.workspace_id = d.workspace_id and h.shard = c.shard and h.pos > c.pos
      where c.destination_id = d.id)
    and ${condition}
  returning ${WAKABLE}`;

/** Finds destinations whose runs must be started or woken. */
export function createWakeStore(handle: Handle) {
  return {
    /** Returns the destinations of these workspaces that have rows to send but no pump. */
    idleOf: (workspaceIds: readonly string[]): Promise<WakableDestination[]> =>
      rowsOf(handle, nudged('d.workspace_id = any(?)'), [[...workspaceIds]]),

    /** Returns the destinations of all workspaces that have rows to send but no pump. */
    idle: (): Promise<WakableDestination[]> => rowsOf(handle, nudged('true'), []),

    /**
     * Returns destinations whose pump has not been seen alive for `silentMs`, and marks them as seen now, so that they
     * are returned again only after the same time.
     */
    silent: (silentMs: number, limit: number): Promise<WakableDestination[]> =>
      rowsOf(
        handle,
        `with silent as (
           select p.destination_id from broadcast_progress p
           join observability_destinations d on d.id = p.destination_id
           where d.enabled and p.state not in ('idle', 'disabled')
             and greatest(p.seen_at, p.next_attempt_at) < now() - ? * interval '1 millisecond'
           limit ?
         ),
         noted as (
           update broadcast_progress p set seen_at = now() from silent s
           where p.destination_id = s.destination_id returning p.destination_id
         )
         select ${WAKABLE}
         from noted n join observability_destinations d on d.id = n.destination_id`,
        [silentMs, limit],
      ),

    /**
     * Returns a destination that is enabled, or that was disabled while it was delivering. In the latter case, a run
     * sets it to idle and ends.
     */
    async find(destinationId: string): Promise<WakableDestination | null> {
      const [row] = await rowsOf<WakableDestination>(handle, FIND, [destinationId]);
      return row ?? null;
    },
  };
}

export type WakeStore = ReturnType<typeof createWakeStore>;
