/** Records which alerts were sent because a limit refused a request. */
import type { Knex } from 'knex';

/** A refusal may come early, for a large request. Alerts of lower thresholds still follow it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table budget_alerts add column is_refusal boolean not null default false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table budget_alerts drop column is_refusal');
}
