/** Creates the table of prompts and answers that destinations receive, and the functions that keep its hours. */
import type { Knex } from 'knex';

/**
 * Bodies are the prompts and answers of workspaces that forward them. They are not part of the log, because the
 * ledger's statement would then delay every commit. `sealed` is JSON without media, compressed and then encrypted.
 * `size` is the length of the JSON, which tells a reader how much memory it needs.
 *
 * Partitions hold one hour each, by the time of settlement, which the generation's row has as well. A reader therefore
 * knows the exact key, and a long video job is stored in the hour in which it ended. A process that writes creates a
 * missing partition.
 */
const BODIES = `
  create table broadcast_bodies (
    settled_at timestamptz not null,
    generation_id text collate "C" not null,
    size integer not null,
    sealed bytea not null,
    primary key (settled_at, generation_id)
  ) partition by range (settled_at);
  -- Encrypted bytes do not shrink, so Postgres need not try to compress them.
  alter table broadcast_bodies alter column sealed set storage external;

  create function ensure_broadcast_bodies_partition(at timestamptz) returns void language plpgsql as $$
    declare
      hour timestamptz := date_trunc('hour', at, 'UTC');
      partition text := 'broadcast_bodies_' || to_char(hour at time zone 'UTC', 'YYYYMMDDHH24');
    begin
      if to_regclass(partition) is not null then
        return;
      end if;
      perform pg_advisory_xact_lock(hashtext('ensure_broadcast_bodies_partition'));
      -- to_regclass does not see what others made while this waited for the lock.
      if exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'broadcast_bodies'::regclass and c.relname = partition) then
        return;
      end if;
      execute format('create table %I (like broadcast_bodies including all)', partition);
      execute format('alter table broadcast_bodies attach partition %I for values from (%L) to (%L)',
        partition, hour, hour + interval '1 hour');
    end $$;
`;

/** Drops the hours of bodies that end by the given time. A partition that is in use stays until the next call. */
const DROP_HOURS = `
  create function drop_broadcast_bodies_before(at timestamptz) returns integer language plpgsql as $$
    declare
      partition text;
      dropped integer := 0;
    begin
      perform set_config('lock_timeout', '50ms', true);
      for partition in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'broadcast_bodies'::regclass
          and c.relname < 'broadcast_bodies_' || to_char(at at time zone 'UTC', 'YYYYMMDDHH24')
        order by c.relname
      loop
        begin
          execute format('drop table %I', partition);
          dropped := dropped + 1;
        exception when lock_not_available then
          -- Each try delays writers for as long as it waits, so the next call tries again.
          return dropped;
        end;
      end loop;
      return dropped;
    end $$;
`;

/** Creates the table of the prompts and answers that destinations receive. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [BODIES, DROP_HOURS]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function drop_broadcast_bodies_before(timestamptz), ensure_broadcast_bodies_partition(timestamptz);
    drop table broadcast_bodies;
  `);
}
