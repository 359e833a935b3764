/**
 * SQL: the backlog of a destination `d`. `backlog` is the number of unprocessed entries, and `oldest_age_seconds` the
 * age of the first one; null if there is none.
 */
export const BEHIND = `(
  select coalesce(sum(h.pos - c.pos), 0) backlog,
    -- The time of an entry may be a moment ahead of the clock. Alone, greatest(0, …) would turn null into 0.
    case when min(first.moved_at) is not null then
      greatest(0, extract(epoch from clock_timestamp() - min(first.moved_at)))
    end oldest_age_seconds
  from broadcast_cursors c
  join broadcast_heads h on h.workspace_id = d.workspace_id and h.shard = c.shard
  left join lateral (
    select l.moved_at from broadcast_log l
    where h.pos > c.pos and l.workspace_id = d.workspace_id and l.shard = c.shard and l.pos > c.pos
      and l.moved_at >= c.moved_at
    order by l.pos limit 1
  ) first on true
  where c.destination_id = d.id)`;
