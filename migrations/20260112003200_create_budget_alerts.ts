import type { Knex } from 'knex';

/**
 * Holds each threshold that spending has reached, once a period, so that nobody is told twice. `payer_id` is the
 * numeric id of a key or the UUID of a workspace or organization.
 *
 * `budget_alert_scan` is one row, shared by all workers: when the last look at all limits began and how far it has come.
 * `payer` is null when that look is over. Periods that ended before `created_at` had no alerts, and get none later.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table budget_alerts (
      payer text not null check (payer in ('key', 'workspace', 'organization')),
      payer_id text not null,
      period text not null,
      threshold smallint not null,
      period_ends_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (payer, payer_id, period, threshold)
    );
    create index budget_alerts_ended on budget_alerts (period_ends_at) where period_ends_at is not null;

    create table budget_alert_scan (
      is_only_row boolean primary key default true check (is_only_row),
      began_at timestamptz not null default '-infinity',
      payer text check (payer in ('key', 'workspace', 'organization')),
      after_id text,
      created_at timestamptz not null default now(),
      check ((payer is null) = (after_id is null))
    );
    insert into budget_alert_scan default values;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop table budget_alert_scan, budget_alerts');
}
