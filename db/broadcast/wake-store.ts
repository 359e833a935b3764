/** Selects observability destinations that have generations to send but no running delivery. */
import { DESTINATION_TYPES, MAX_PUMPS_OF_ORGANIZATION } from '../../domain/broadcast/destination.ts';
import type { Handle } from '../postgres/connection.ts';
import { firstRow, idsOf } from '../postgres/results.ts';
import { bool, oneOf, type RowOf, selectList, uuid } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

const WAKABLE = {
  destinationId: uuid,
  organizationId: uuid,
  workspaceId: uuid,
  type: oneOf(DESTINATION_TYPES),
};
/** A destination, with the facts that the start of its run needs. */
export type WakableDestination = RowOf<typeof WAKABLE>;

const WAKABLE_COLUMNS = selectList(WAKABLE, 'd', { destinationId: 'd.id' });

const FIND = `select ${WAKABLE_COLUMNS}
  from observability_destinations d join broadcast_progress p on p.destination_id = d.id
  where d.id = :destinationId and (d.enabled or p.state not in ('idle', 'disabled'))`;

/**
 * SQL: a destination `d` with progress `p` has something to send and no pump. Undecided generations and requested dead
 * letters are left when a pump's turn ends before they are sent.
 */
const WAITS = `d.enabled and p.state = 'idle' and (
    exists (select from broadcast_cursors c
      join broadcast_heads h on h.workspace_id = d.workspace_id and h.shard = c.shard and h.pos > c.pos
      where c.destination_id = d.id)
    or exists (select from broadcast_undecided u where u.destination_id = d.id)
    or exists (select from broadcast_dead_letters l
      where l.destination_id = d.id and l.replay_requested_at is not null))`;

/**
 * The most pumps of an organization whose runs are started and that have not begun. More would fill the queue of a
 * Temporal server that hands out work in the order of its arrival.
 */
const MAX_STARTING = 25;

/**
 * Returns SQL that marks destinations which wait for a pump, and selects those whose pump is to start, up to the limit.
 * The oldest ones of each organization come first, up to its share of pumps. They are not selected again for 15
 * seconds, in which their pump can start.
 */
const selectWaiting = (condition: string, limit: ':limit' | 'all'): string => `
  with waiting as materialized (
    select p.destination_id, d.organization_id, d.workspace_id, d.type, p.waiting_since
    from broadcast_progress p join observability_destinations d on d.id = p.destination_id
    where (${condition}) and (p.nudged_at is null or p.nudged_at < now() - interval '15 seconds') and ${WAITS}
    for no key update of p skip locked
  ),
  busy as (
    select o.organization_id, count(q.destination_id) filter (where q.state = 'running') running,
      count(q.destination_id) filter (where q.state = 'idle') starting
    from (select distinct organization_id from waiting) o
    left join observability_destinations r on r.organization_id = o.organization_id
    left join broadcast_progress q on q.destination_id = r.id
      and ((q.state = 'running' and q.touched_at > now() - interval '2 minutes')
        or (q.state = 'idle' and q.nudged_at > now() - interval '15 seconds'))
    group by o.organization_id
  ),
  shares as (
    select organization_id,
      least(${MAX_PUMPS_OF_ORGANIZATION} - running - starting, ${MAX_STARTING} - starting) places
    from busy
  ),
  line as (
    select *, row_number() over (partition by organization_id order by waiting_since, destination_id) turn
    from waiting
  ),
  starting as (
    select destination_id from line join shares using (organization_id)
    where turn <= places order by turn, waiting_since limit ${limit}
  ),
  marked as (
    update broadcast_progress p
    set waiting_since = coalesce(p.waiting_since, now()),
      nudged_at = case when s.destination_id is null then p.nudged_at else now() end
    from line l left join starting s using (destination_id)
    where p.destination_id = l.destination_id and (s.destination_id is not null or p.waiting_since is null)
    returning p.destination_id, l.turn, s.destination_id is not null starts
  )
  select ${selectList(WAKABLE, 'w')}
  from marked m join waiting w using (destination_id) where m.starts order by m.turn`;

/** SQL: the organizations with destinations that wait for a pump, and whether their runs were started. */
const LINES = `
  select distinct d.organization_id "organizationId",
    coalesce(p.nudged_at > now() - interval '15 seconds', false) "isStarted"
  from broadcast_progress p join observability_destinations d on d.id = p.destination_id
  where p.waiting_since < now() - :forMs * interval '1 millisecond' and ${WAITS}`;

const LINE = {
  organizationId: uuid,
  /** True: their runs are started, and no worker has a slot for them. Otherwise their organization has its share. */
  isStarted: bool,
};
/** Destinations of one organization that wait for a pump. */
export type WaitingLine = RowOf<typeof LINE>;

/** Finds destinations whose runs must be started or woken. */
export function createWakeStore(handle: Handle) {
  return {
    /**
     * Returns destinations whose pump is to start: of these workspaces, and those that had to wait for the share of
     * their organization.
     */
    idleOf: (workspaceIds: readonly string[]): Promise<WakableDestination[]> =>
      rowsOf(
        handle,
        WAKABLE,
        selectWaiting('d.workspace_id = any(:workspaceIds) or p.waiting_since is not null', 'all'),
        { workspaceIds },
      ),

    /**
     * Returns destinations of all workspaces whose pump is to start: those that are first in their organization before
     * those that are second.
     */
    idle: (limit: number): Promise<WakableDestination[]> =>
      rowsOf(handle, WAKABLE, selectWaiting('true', ':limit'), { limit }),

    /** Returns which of the destinations are enabled. */
    async enabled(destinationIds: readonly string[]): Promise<Set<string>> {
      const ids = await idsOf(
        handle,
        'select id from observability_destinations where id = any(:destinationIds) and enabled',
        { destinationIds },
      );
      return new Set(ids);
    },

    /** Returns the organizations with destinations that have waited for a pump for so long. */
    lines: (forMs: number): Promise<WaitingLine[]> => rowsOf(handle, LINE, LINES, { forMs }),

    /**
     * Returns destinations whose pump has not been seen alive for `silentMs`, and marks them as seen now, so that they
     * are returned again only after the same time.
     */
    silent: (silentMs: number, limit: number): Promise<WakableDestination[]> =>
      rowsOf(
        handle,
        WAKABLE,
        `with silent as (
           select p.destination_id from broadcast_progress p
           join observability_destinations d on d.id = p.destination_id
           where d.enabled and p.state not in ('idle', 'disabled')
             and greatest(p.touched_at, p.next_attempt_at) < now() - :silentMs * interval '1 millisecond'
           limit :limit
         ),
         noted as (
           update broadcast_progress p set touched_at = now() from silent s
           where p.destination_id = s.destination_id returning p.destination_id
         )
         select ${WAKABLE_COLUMNS}
         from noted n join observability_destinations d on d.id = n.destination_id`,
        { silentMs, limit },
      ),

    /**
     * Returns a destination that is enabled, or that was disabled while it was delivering. In the latter case, a run
     * sets it to idle and ends.
     */
    find: (destinationId: string): Promise<WakableDestination | null> =>
      firstRow(handle, WAKABLE, FIND, { destinationId }),
  };
}

export type WakeStore = ReturnType<typeof createWakeStore>;
