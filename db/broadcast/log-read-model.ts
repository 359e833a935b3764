/** Reads the generations that an observability destination has not received yet, and how many there are. */
import type { BroadcastEvent } from '../../domain/broadcast/event.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows } from '../postgres/results.ts';
import { float8, int2, int8, numeric, type RowOf, text, uuid } from '../postgres/shape.ts';
import { prepared, rowsOf } from '../postgres/statement.ts';
import { EVENT_COLUMNS, EVENT_ROW, joinEvents, toEvent } from './event-rows.ts';
import type { BatchEnd, LogPosition } from './log-position.ts';

export interface LogEntry extends LogPosition {
  /** The time at which the entry was written, in milliseconds; the driver takes longer to parse dates. */
  loggedAtMs: number;
  /** Null: the generation is past its retention, so it cannot be sent. */
  event: BroadcastEvent | null;
}

/** A destination with the workspace of its log. */
export interface LogSource {
  destinationId: string;
  workspaceId: string;
}

/** The next entries of a destination. */
export interface LogPage {
  /** Within a shard, entries are in the order of their positions. */
  entries: LogEntry[];
  /** True: the log had more entries at the time of the read. */
  hasMore: boolean;
}

/** Reads the logs of workspaces. */
export function createLogReadModel(handle: Handle) {
  return {
    /**
     * Returns at most `limit` entries, an equal part from each shard that has unprocessed ones. With `end`, a batch is
     * repeated: entries after these positions are left out.
     */
    async next(source: LogSource, limit: number, end: BatchEnd | null): Promise<LogPage> {
      const { destinationId, workspaceId } = source;
      const rows = await rowsOf(handle, ENTRY, NEXT, {
        shards: (end ?? []).map(({ shard }) => shard),
        positions: (end ?? []).map(({ pos }) => pos),
        workspaceId,
        destinationId,
        isNew: end === null,
        limit,
      });
      const entries = rows.map(({ shard, pos, movedAt, loggedAtMs, ...row }) => ({
        shard,
        pos: BigInt(pos),
        movedAt,
        loggedAtMs,
        event: toEvent(row),
      }));
      return { entries, hasMore: hasMore(rows) };
    },

    /** Returns the cursors of the destination, one per shard. */
    async cursors(destinationId: string): Promise<LogPosition[]> {
      const rows = await rowsOf(
        handle,
        { shard: int2, pos: int8, movedAt: text },
        'select shard, pos, moved_at::text "movedAt" from broadcast_cursors where destination_id = :destinationId',
        { destinationId },
      );
      return rows.map(({ shard, pos, movedAt }) => ({ shard, pos: BigInt(pos), movedAt }));
    },

    isBehind: (destinationId: string): Promise<boolean> => anyRows(handle, BEHIND, { destinationId }),

    /** Returns the number of log entries that the destination has not processed. */
    async backlog(destinationId: string): Promise<number> {
      const [row] = await rowsOf(handle, { n: numeric }, BACKLOG, { destinationId });
      return Number(row?.n ?? 0);
    },

    /** Returns the number of positions that each workspace has used, over all shards. */
    async totals(workspaceIds: readonly string[]): Promise<Map<string, bigint>> {
      const rows = await rowsOf(
        handle,
        { workspaceId: uuid, total: numeric },
        `select workspace_id "workspaceId", sum(pos) total from broadcast_heads
         where workspace_id = any(:workspaceIds) group by workspace_id`,
        { workspaceIds },
      );
      return new Map(rows.map(({ workspaceId, total }) => [workspaceId, BigInt(total)]));
    },
  };
}

const ENTRY = {
  ...EVENT_ROW,
  shard: int2,
  pos: int8,
  movedAt: text,
  loggedAtMs: float8,
  /** The latest position used in the shard. */
  head: int8,
};

function hasMore(rows: readonly Pick<RowOf<typeof ENTRY>, 'shard' | 'pos' | 'head'>[]): boolean {
  const last = new Map(rows.map(({ shard, pos, head }) => [shard, pos === head]));
  return [...last.values()].includes(false);
}

export type LogReadModel = ReturnType<typeof createLogReadModel>;

const BEHIND = `
  select from broadcast_cursors c
  join observability_destinations d on d.id = c.destination_id
  join broadcast_heads h on h.workspace_id = d.workspace_id and h.shard = c.shard and h.pos > c.pos
  where c.destination_id = :destinationId limit 1`;

const BACKLOG = `
  select coalesce(sum(h.pos - c.pos), 0) n from broadcast_cursors c
  join observability_destinations d on d.id = c.destination_id
  join broadcast_heads h on h.workspace_id = d.workspace_id and h.shard = c.shard
  where c.destination_id = :destinationId`;

/**
 * Reads the next entries. The cursor's time lets Postgres skip older partitions. It is prepared because planning over
 * all partitions takes longer than running it.
 */
const NEXT = prepared(
  'broadcast-next',
  `
  with ends as (select * from unnest(:shards::smallint[], :positions::bigint[]) e (shard, pos)),
  behind as materialized (
    select c.shard, c.pos, c.moved_at, h.pos head, e.pos end_pos, count(*) over () shards
    from broadcast_cursors c
    join broadcast_heads h on h.workspace_id = :workspaceId and h.shard = c.shard and h.pos > c.pos
    left join ends e on e.shard = c.shard
    where c.destination_id = :destinationId and (:isNew::boolean or e.shard is not null)
  ),
  picked as materialized (
    select l.*, b.head from behind b cross join lateral (
      select * from broadcast_log l
      where l.workspace_id = :workspaceId and l.shard = b.shard and l.pos > b.pos and l.moved_at >= b.moved_at
        and (b.end_pos is null or l.pos <= b.end_pos)
      order by l.pos
      limit case when b.end_pos is null then greatest(1, :limit::bigint / b.shards) else :limit end
    ) l
  )
  select l.shard, l.pos, l.head, l.moved_at::text "movedAt", (extract(epoch from l.moved_at) * 1000)::float8 "loggedAtMs",
    l.facts, ${EVENT_COLUMNS}
  from picked l ${joinEvents('l')}
  order by l.moved_at, l.shard, l.pos`,
);
