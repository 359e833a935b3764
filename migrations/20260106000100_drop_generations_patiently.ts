import type { Knex } from 'knex';

/**
 * Dropping a day locks the whole ledger for a moment, and whoever comes meanwhile waits behind it. So it waits for
 * that moment even less than before, and tries again: after each try others go on, and what was added up is kept.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    dropFunction(`
        perform set_config('lock_timeout', '50ms', true);
        for attempt in 1..6 loop
          begin
            execute format('drop table %I', 'generations_' || suffix);
            execute format('drop table if exists %I', 'generation_details_' || suffix);
            return;
          exception when lock_not_available then
            if attempt = 6 then
              raise;
            end if;
            perform pg_sleep(0.05 * 2 ^ attempt);
          end;
        end loop;`),
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    dropFunction(`
        execute format('drop table %I', 'generations_' || suffix);
        execute format('drop table if exists %I', 'generation_details_' || suffix);`),
  );
}

/** As migrations/20260105000300_drop_old_generations.ts made it, but for its end. */
function dropFunction(end: string): string {
  return `
    create or replace function drop_ledger_partition(day date) returns void language plpgsql as $$
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
          'generations_' || suffix) using day;${end}
      end $$`;
}
