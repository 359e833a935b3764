import type { Knex } from 'knex';

/**
 * Holds one row for each generation of a workspace that has a destination, in the order in which the workspace's shard
 * committed them. The ledger's statement calls `append_to_broadcast_log` for the rows that it inserted. The function locks
 * the heads of their workspaces in the order of the key and holds them until the commit, so positions have no gaps and a
 * reader never sees a later position before an earlier one.
 *
 * A generation that ended before logging began is left out, even if it is recorded later (from a spool): five seconds
 * allow for the clocks of processes. So is one that ended more than 72 hours ago, which is how long the log is kept.
 *
 * Partitions hold one hour each. They go by `moved_at`, which never goes back within a head, so that a cursor's own time
 * tells the reader which partitions cannot hold its next row. `facts` is what the ledger's row lacks.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
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
        -- Not by to_regclass again: waiting for this lock does not tell it what others made meanwhile.
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

    select ensure_broadcast_partitions(3);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop function append_to_broadcast_log(smallint, uuid[], text[], timestamptz[], timestamptz[], json[]);
    drop function ensure_broadcast_partitions(integer);
    drop function ensure_broadcast_partition(timestamptz);
    drop table broadcast_log;
  `);
}
