import type { Knex } from 'knex';

/**
 * A workspace says at which percentages of a limit its receivers are told. API processes keep them with each key, so a
 * change is announced as a change of the keys it concerns. Those of the default workspace also hold for the credit of
 * the organization, which may limit all its keys.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table workspaces add budget_alert_thresholds smallint[] not null default '{50,80,100}'
      check (1 <= all (budget_alert_thresholds) and 100 >= all (budget_alert_thresholds));

    create function notify_keys_of_alert_thresholds() returns trigger language plpgsql as $$
      begin
        perform pg_notify('sluice_api_keys', hash) from api_keys
        where workspace_id = new.id or (new.is_default and organization_id = new.organization_id);
        return null;
      end $$;
    create trigger workspaces_notify_alert_thresholds after update of budget_alert_thresholds on workspaces
      for each row when (old.budget_alert_thresholds is distinct from new.budget_alert_thresholds)
      execute function notify_keys_of_alert_thresholds();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop trigger workspaces_notify_alert_thresholds on workspaces;
    drop function notify_keys_of_alert_thresholds();
    alter table workspaces drop budget_alert_thresholds;
  `);
}
