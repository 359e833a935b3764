import type { Knex } from 'knex';

/**
 * Old generations go with their partition. What the counters hold of them stays provable: their sums are kept, by
 * key and by the day on which they count. Dropping locks the whole table for a moment, and waits for that moment
 * no longer than traffic may wait behind it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table dropped_generations (
      created_on date not null,
      settled_on date not null,
      organization_id uuid not null,
      workspace_id uuid not null,
      key_id bigint not null,
      usage_nanos numeric(30, 0) not null,
      byok_usage_nanos numeric(30, 0) not null,
      request_count bigint not null,
      primary key (created_on, settled_on, organization_id, workspace_id, key_id)
    );

    create function drop_ledger_partition(day date) returns void language plpgsql as $$
      declare
        suffix text := to_char(day, 'YYYYMMDD');
      begin
        perform set_config('lock_timeout', '200ms', true);
        execute format('lock table %I in share mode', 'generations_' || suffix);
        execute format(
          'insert into dropped_generations as t
           select $1, (settled_at at time zone ''UTC'')::date, organization_id, workspace_id, key_id,
             sum(case when is_byok then 0 else cost_nanos end),
             sum(case when is_byok then cost_nanos else 0 end), count(*)
           from %I group by 2, 3, 4, 5
           on conflict (created_on, settled_on, organization_id, workspace_id, key_id) do update
             set usage_nanos = t.usage_nanos + excluded.usage_nanos,
                 byok_usage_nanos = t.byok_usage_nanos + excluded.byok_usage_nanos,
                 request_count = t.request_count + excluded.request_count',
          'generations_' || suffix) using day;
        execute format('drop table %I', 'generations_' || suffix);
        execute format('drop table if exists %I', 'generation_details_' || suffix);
      end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop function drop_ledger_partition(date);
    drop table dropped_generations;
  `);
}
