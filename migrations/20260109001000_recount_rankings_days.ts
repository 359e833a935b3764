import type { Knex } from 'knex';

/**
 * What settles before midnight may be recorded days after it, when Postgres was away: with the number of requests that
 * a day was closed with, it is seen that it has grown. And no generations are dropped before all days that they count
 * on are closed, whoever drops them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table rankings_days add request_count bigint not null default 0');
  await knex.raw(
    dropFunction(`
        if exists (
          select from generate_series(greatest(day, date '2025-01-01'), day + 2, interval '1 day') past
          where not exists (select from rankings_days r where r.day = past::date)
        ) then
          -- As if the day was in use: versions before this one, too, try it again later.
          raise exception 'rankings of % are not closed', day using errcode = 'lock_not_available';
        end if;`),
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(dropFunction(''));
  await knex.raw('alter table rankings_days drop request_count');
}

/** As migrations/20260106000100_drop_generations_patiently.ts made it, but for its beginning. */
function dropFunction(beginning: string): string {
  return `
    create or replace function drop_ledger_partition(day date) returns void language plpgsql as $$
      declare
        suffix text := to_char(day, 'YYYYMMDD');
      begin${beginning}
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
        end loop;
      end $$`;
}
