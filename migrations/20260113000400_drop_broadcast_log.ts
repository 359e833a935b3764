import type { Knex } from 'knex';

/**
 * Drops an hour of the broadcast log. Cursors that have not passed it are moved behind it first, and what they give up is
 * counted. Locks are waited for as briefly as in drop_ledger_partition: a destination that reads goes on in between.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
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
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop function drop_broadcast_hour(text)');
}
