import type { Knex } from 'knex';

/**
 * Holds prompts and answers for the workspaces that forward them, beside the log: within the ledger's statement they would
 * make every commit wait. `sealed` is JSON without media, compressed and then encrypted. `size` is the length of the
 * JSON, by which a reader knows how much memory it needs before it reads.
 *
 * Partitions hold one hour each and go by the time of the settlement, which the generation's row repeats: a reader names
 * the exact key, and a video job that ended long after it began lies with the others of its hour. Whoever writes makes a
 * missing partition. `drop_broadcast_bodies_before` drops the hours that end by then. A partition that is in use stays
 * until the next call.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table broadcast_bodies (
      settled_at timestamptz not null,
      generation_id text collate "C" not null,
      size integer not null,
      sealed bytea not null,
      primary key (settled_at, generation_id)
    ) partition by range (settled_at);
    -- What is encrypted cannot be compressed.
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
        -- Not by to_regclass again: waiting for this lock does not tell it what others made meanwhile.
        if exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'broadcast_bodies'::regclass and c.relname = partition) then
          return;
        end if;
        execute format('create table %I (like broadcast_bodies including all)', partition);
        execute format('alter table broadcast_bodies attach partition %I for values from (%L) to (%L)',
          partition, hour, hour + interval '1 hour');
      end $$;

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
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop function drop_broadcast_bodies_before(timestamptz);
    drop function ensure_broadcast_bodies_partition(timestamptz);
    drop table broadcast_bodies;
  `);
}
