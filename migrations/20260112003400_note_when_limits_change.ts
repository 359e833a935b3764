import type { Knex } from 'knex';

/**
 * Notes when a limit, or what counts under it, last changed. Alerts about a period that has just ended need to know
 * whether its limit was the present one. Other changes, such as of a name, say nothing about that.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table api_keys add limit_changed_at timestamptz;
    alter table workspaces add budgets_changed_at timestamptz;

    create function note_limit_change() returns trigger language plpgsql as $$
      begin
        new.limit_changed_at := clock_timestamp();
        return new;
      end $$;
    create trigger api_keys_note_limit_change before update on api_keys for each row
      when ((old.limit_nanos, old.limit_reset, old.include_byok_in_limit)
            is distinct from (new.limit_nanos, new.limit_reset, new.include_byok_in_limit))
      execute function note_limit_change();

    create function note_budgets_change() returns trigger language plpgsql as $$
      begin
        new.budgets_changed_at := clock_timestamp();
        return new;
      end $$;
    create trigger workspaces_note_budgets_change before update on workspaces for each row
      when ((old.include_byok_in_budgets, old.budget_alert_thresholds)
            is distinct from (new.include_byok_in_budgets, new.budget_alert_thresholds))
      execute function note_budgets_change();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop trigger workspaces_note_budgets_change on workspaces;
    drop trigger api_keys_note_limit_change on api_keys;
    drop function note_budgets_change();
    drop function note_limit_change();
    alter table workspaces drop budgets_changed_at;
    alter table api_keys drop limit_changed_at;
  `);
}
