import type { Knex } from 'knex';

/**
 * What a workspace or an organization sets is announced for the keys that are left, of which alone anybody has
 * something in memory, and only when it changed: each notice costs every replica what it was about to remember.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    ${announcing('and deleted_at is null')}

    drop trigger workspace_budgets_notify on workspace_budgets;
    create trigger workspace_budgets_notify_change after update on workspace_budgets for each row
      when (old.limit_nanos is distinct from new.limit_nanos) execute function notify_keys_of_workspace();
    create trigger workspace_budgets_notify after insert or delete on workspace_budgets for each row
      execute function notify_keys_of_workspace();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop trigger workspace_budgets_notify on workspace_budgets;
    drop trigger workspace_budgets_notify_change on workspace_budgets;
    create trigger workspace_budgets_notify after insert or update or delete on workspace_budgets
      for each row execute function notify_keys_of_workspace();

    ${announcing('')}
  `);
}

/** The three functions that tell of keys. */
function announcing(those: string): string {
  const notice = `perform pg_notify('sluice_api_keys', hash) from api_keys where`;
  return `
    create or replace function notify_keys_of_workspace() returns trigger language plpgsql as $$
      begin
        ${notice} workspace_id in (old.workspace_id, new.workspace_id) ${those};
        return null;
      end $$;
    create or replace function notify_keys_of_byok_choice() returns trigger language plpgsql as $$
      begin
        ${notice} workspace_id = new.id ${those};
        return null;
      end $$;
    create or replace function notify_keys_of_organization() returns trigger language plpgsql as $$
      begin
        ${notice} organization_id = new.id ${those};
        return null;
      end $$;`;
}
