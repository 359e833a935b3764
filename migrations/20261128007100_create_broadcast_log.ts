/** Creates the tables of the broadcast log, and the functions that append to it and drop old hours. */
import type { Knex } from 'knex';

/**
 * A head is the latest position in the log of a workspace, one row for each shard of the ledger. A workspace without
 * heads never had a destination.
 *
 * Positions must never repeat, so a head is never deleted or reset while its workspace exists. `moved_at` never goes
 * back: it is the time of the latest position, or of the moment when logging began.
 */
const HEADS = `
  create table broadcast_heads (
    workspace_id uuid not null references workspaces,
    shard smallint not null,
    pos bigint not null default 0,
    moved_at timestamptz not null default now(),
    is_logged boolean not null,
    logged_since timestamptz not null default now(),
    primary key (workspace_id, shard)
  );
`;

/**
 * The log has one row for each generation of a workspace that has a destination, in the order in which the workspace's
 * shard committed them. `facts` is what the ledger's row lacks.
 *
 * Partitions hold one hour each. They go by `moved_at`, which never goes back within a head, so that a cursor's own
 * time tells the reader which partitions cannot hold its next row.
 */
const LOG = `
  create table broadcast_log (
    workspace_id uuid not null,
    shard smallint not null,
    pos bigint not null,
    moved_at timestamptz not null,
    created_at timestamptz not null,
    generation_id text collate "C" not null,
    facts json,
    primary key (workspace_id, shard, pos, moved_at)
  ) partition by range (moved_at);

  create function ensure_broadcast_partition(at timestamptz) returns void language plpgsql as $$
    declare
      hour timestamptz := date_trunc('hour', at, 'UTC');
      partition text := 'broadcast_log_' || to_char(hour at time zone 'UTC', 'YYYYMMDDHH24');
    begin
      if to_regclass(partition) is not null then
        return;
      end if;
      perform pg_advisory_xact_lock(hashtext('ensure_broadcast_partition'));
      -- to_regclass does not see what others made while this waited for the lock.
      if exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'broadcast_log'::regclass and c.relname = partition) then
        return;
      end if;
      execute format('create table %I (like broadcast_log including all)', partition);
      execute format('alter table broadcast_log attach partition %I for values from (%L) to (%L)',
        partition, hour, hour + interval '1 hour');
    end $$;

  create function ensure_broadcast_partitions(hours_ahead integer) returns void language plpgsql as $$
    declare
      latest timestamptz := greatest(now(), (select max(moved_at) from broadcast_heads));
    begin
      perform ensure_broadcast_partition(now());
      for ahead in 0..hours_ahead loop
        perform ensure_broadcast_partition(latest + ahead * interval '1 hour');
      end loop;
    end $$;

  select ensure_broadcast_partitions(3);
`;

/**
 * The ledger's statement calls `append_to_broadcast_log` for the rows that it inserted. The function locks the heads of
 * their workspaces in the order of the key and holds them until the commit. Positions therefore have no gaps, and a
 * reader never sees a later position before an earlier one.
 *
 * A generation that ended before logging began is left out, even if it is recorded later (from a spool); clocks of
 * processes may differ by five seconds. A generation that ended more than 72 hours ago is left out, too, because the
 * log is kept that long.
 */
const APPEND = `
  create function append_to_broadcast_log(
    of_shard smallint, workspaces uuid[], ids text[], created timestamptz[], settled timestamptz[], all_facts json[]
  ) returns uuid[] strict language plpgsql as $$
    declare
      present timestamptz := clock_timestamp();
      logged uuid[];
    begin
      with head as materialized (
        select workspace_id, pos, greatest(moved_at, present) moved_at, logged_since from broadcast_heads
        where shard = of_shard and is_logged and workspace_id = any(workspaces)
        order by workspace_id
        for update
      ),
      placed as materialized (
        select head.workspace_id, head.pos + row_number() over (partition by head.workspace_id order by i.n) pos,
          head.moved_at, i.created_at, i.id, i.facts
        from unnest(workspaces, ids, created, settled, all_facts) with ordinality
          as i (workspace_id, id, created_at, settled_at, facts, n)
        join head using (workspace_id)
        where i.settled_at >= head.logged_since - interval '5 seconds'
          and i.settled_at >= present - interval '72 hours'
      ),
      moved as (
        update broadcast_heads h set pos = p.pos, moved_at = p.moved_at
        from (select workspace_id, max(pos) pos, max(moved_at) moved_at from placed group by workspace_id) p
        where h.workspace_id = p.workspace_id and h.shard = of_shard
        returning h.workspace_id
      ),
      added as (
        insert into broadcast_log (workspace_id, shard, pos, moved_at, created_at, generation_id, facts)
        select workspace_id, of_shard, pos, moved_at, created_at, id, facts from placed
      )
      select array_agg(workspace_id) into logged from moved;
      return logged;
    end $$;
`;

/**
 * Before an hour of the log is dropped, all cursors that are still in or before it move past it, and the entries that
 * their destinations lose are counted. Each attempt waits briefly for its lock, as in `drop_ledger_partition`, so that
 * readers continue in between.
 */
const DROP_AN_HOUR = `
  create function drop_broadcast_hour(partition text) returns bigint language plpgsql as $$
    declare
      given_up bigint;
    begin
      perform set_config('lock_timeout', '200ms', true);
      execute format('lock table %I in share mode', partition);
      execute format('
        with missed as materialized (
          select c.destination_id, c.shard, count(*) missed, max(l.pos) pos, max(l.moved_at) moved_at
          from broadcast_cursors c
          join observability_destinations d on d.id = c.destination_id
          join %I l on l.workspace_id = d.workspace_id and l.shard = c.shard and l.pos > c.pos
          group by c.destination_id, c.shard
          order by c.destination_id, c.shard
        ),
        moved as (
          update broadcast_cursors c set pos = m.pos, moved_at = m.moved_at
          from missed m where c.destination_id = m.destination_id and c.shard = m.shard and c.pos < m.pos
          returning c.destination_id, m.missed
        ),
        counted as (
          update broadcast_progress p set given_up = p.given_up + m.missed
          from (select destination_id, sum(missed) missed from moved group by destination_id) m
          where p.destination_id = m.destination_id
          returning 1
        )
        select coalesce(sum(missed), 0) from moved', partition) into given_up;
      perform set_config('lock_timeout', '50ms', true);
      for attempt in 1..6 loop
        begin
          execute format('drop table %I', partition);
          return given_up;
        exception when lock_not_available then
          if attempt = 6 then
            raise;
          end if;
          perform pg_sleep(0.05 * 2 ^ attempt);
        end;
      end loop;
      return given_up;
    end $$;
`;

/** Creates the log of the generations that destinations receive. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [HEADS, LOG, APPEND, DROP_AN_HOUR]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function drop_broadcast_hour(text);
    drop function append_to_broadcast_log(smallint, uuid[], text[], timestamptz[], timestamptz[], json[]);
    drop function ensure_broadcast_partitions(integer), ensure_broadcast_partition(timestamptz);
    drop table broadcast_log, broadcast_heads;
  `);
}
