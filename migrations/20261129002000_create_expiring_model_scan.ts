/** Creates the position of the scan for workspaces that use models which expire soon. */
import type { Knex } from 'knex';

/**
 * The table has one row, shared by all workers. `models` are those that the latest scan announces, and `began_at` is
 * its start. `after_workspace_id` is the last workspace that it has handled, and null while no scan is running. The
 * events themselves are rows of `webhook_deliveries`, whose ids prevent repetitions.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table expiring_model_scan (
      is_only_row boolean primary key default true check (is_only_row),
      began_at timestamptz not null default '-infinity',
      models text not null default '',
      after_workspace_id uuid
    );
    insert into expiring_model_scan default values;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table expiring_model_scan');
}
