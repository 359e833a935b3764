import type { BroadcastEvent } from '../../domain/broadcast/event.ts';
import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';
import { EVENT_COLUMNS, type EventRow, joinEvents, toEvent } from './event-rows.ts';
import type { BatchEnd, LogPosition } from './log-position.ts';

export interface LogEntry extends LogPosition {
  /** Null: the generation is past its retention, so there is nothing to send. */
  event: BroadcastEvent | null;
}

/** A destination and the workspace whose log it reads. */
export interface LogSource {
  destinationId: string;
  workspaceId: string;
}

/** Reads the logs of workspaces. */
export function createLogReadModel(handle: Handle) {
  return {
    /**
     * Returns the next entries of a destination, at most `limit`, with those of one shard in the order of their positions.
     * Each shard with news has an equal part of them. `end` repeats a batch: nothing after these positions is returned.
     */
    async next(source: LogSource, limit: number, end: BatchEnd | null): Promise<LogEntry[]> {
      const { destinationId, workspaceId } = source;
      const rows = await rowsOf<EventRow & { shard: number; pos: string; moved: string }>(handle, NEXT, [
        (end ?? []).map(({ shard }) => shard),
        (end ?? []).map(({ pos }) => pos),
        workspaceId,
        destinationId,
        end === null,
        workspaceId,
        limit,
        limit,
      ]);
      return rows.map((row) => ({
        shard: row.shard,
        pos: BigInt(row.pos),
        movedAt: row.moved,
        event: toEvent(row),
      }));
    },

    /** Returns where the destination is, one position a shard. */
    async cursors(destinationId: string): Promise<LogPosition[]> {
      const rows = await rowsOf<{ shard: number; pos: string; moved: string }>(
        handle,
        'select shard, pos, moved_at::text moved from broadcast_cursors where destination_id = ?',
        [destinationId],
      );
      return rows.map(({ shard, pos, moved }) => ({ shard, pos: BigInt(pos), movedAt: moved }));
    },

    async isBehind(destinationId: string): Promise<boolean> {
      const rows = await rowsOf(handle, BEHIND, [destinationId]);
      return rows.length > 0;
    },

    /** Returns how many positions each of these workspaces has given out, over all shards. */
    async totals(workspaceIds: readonly string[]): Promise<Map<string, bigint>> {
      const rows = await rowsOf<{ workspace_id: string; total: string }>(
        handle,
        `select workspace_id, sum(pos) total from broadcast_heads where workspace_id = any(?) group by workspace_id`,
        [[...workspaceIds]],
      );
      return new Map(rows.map(({ workspace_id: id, total }) => [id, BigInt(total)]));
    },
  };
}

export type LogReadModel = ReturnType<typeof createLogReadModel>;

const BEHIND = `
  select from broadcast_cursors c
  join observability_destinations d on d.id = c.destination_id
  join broadcast_heads h on h.workspace_id = d.workspace_id and h.shard = c.shard and h.pos > c.pos
  where c.destination_id = ? limit 1`;

/** The cursor's time lets Postgres skip partitions whose every row is older. */
const NEXT = `
  with ends as (select * from unnest(?::smallint[], ?::bigint[]) e (shard, pos)),
  behind as materialized (
    select c.shard, c.pos, c.moved_at, e.pos end_pos, count(*) over () shards
    from broadcast_cursors c
    join broadcast_heads h on h.workspace_id = ? and h.shard = c.shard and h.pos > c.pos
    left join ends e on e.shard = c.shard
    where c.destination_id = ? and (? or e.shard is not null)
  ),
  picked as materialized (
    select l.* from behind b cross join lateral (
      select * from broadcast_log l
      where l.workspace_id = ? and l.shard = b.shard and l.pos > b.pos and l.moved_at >= b.moved_at
        and (b.end_pos is null or l.pos <= b.end_pos)
      order by l.pos
      limit case when b.end_pos is null then greatest(1, ? / b.shards) else ? end
    ) l
  )
  select l.shard, l.pos, l.moved_at::text moved, l.facts, ${EVENT_COLUMNS}
  from picked l ${joinEvents('l')}
  order by l.moved_at, l.shard, l.pos`;
