import type { Knex } from 'knex';

/**
 * What a workspace spent on a day, for its budgets, as `key_usage` says it of a key. Half of each page of the
 * counters stays free: they are updated all the time, and a new version that fits beside the old one needs no
 * entry in the index.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table workspace_usage (
      workspace_id uuid not null,
      settled_on date not null,
      shard smallint not null,
      usage_nanos numeric(30, 0) not null,
      byok_usage_nanos numeric(30, 0) not null,
      request_count bigint not null,
      primary key (workspace_id, settled_on, shard)
    ) with (fillfactor = 50);
    insert into workspace_usage
    select workspace_id, (settled_at at time zone 'UTC')::date, 0,
      sum(case when is_byok then 0 else cost_nanos end), sum(case when is_byok then cost_nanos else 0 end), count(*)
    from generations group by 1, 2;

    alter table key_usage set (fillfactor = 50);
    alter table key_usage_totals set (fillfactor = 50);
    alter table organization_usage_totals set (fillfactor = 50);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table organization_usage_totals reset (fillfactor);
    alter table key_usage_totals reset (fillfactor);
    alter table key_usage reset (fillfactor);
    drop table workspace_usage;
  `);
}
