import type { Knex } from 'knex';

/**
 * Budgets of workspaces, and rate limits. What a key may spend also follows from its workspace and its
 * organization, and every replica keeps that with the key: so a change there is announced as a change of each
 * key it concerns.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table workspace_budgets (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      reset_interval text not null check (reset_interval in ('daily', 'weekly', 'monthly', 'lifetime')),
      limit_nanos numeric(30, 0) not null check (limit_nanos >= 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz,
      unique (workspace_id, reset_interval)
    );

    create function notify_keys_of_workspace() returns trigger language plpgsql as $$
      begin
        perform pg_notify('sluice_api_keys', hash) from api_keys
        where workspace_id in (old.workspace_id, new.workspace_id);
        return null;
      end $$;
    create trigger workspace_budgets_notify after insert or update or delete on workspace_budgets
      for each row execute function notify_keys_of_workspace();

    create function notify_keys_of_byok_choice() returns trigger language plpgsql as $$
      begin
        perform pg_notify('sluice_api_keys', hash) from api_keys where workspace_id = new.id;
        return null;
      end $$;
    create trigger workspaces_notify_byok_choice after update of include_byok_in_budgets on workspaces
      for each row when (old.include_byok_in_budgets is distinct from new.include_byok_in_budgets)
      execute function notify_keys_of_byok_choice();

    create function notify_keys_of_organization() returns trigger language plpgsql as $$
      begin
        perform pg_notify('sluice_api_keys', hash) from api_keys where organization_id = new.id;
        return null;
      end $$;
    create trigger organizations_notify_enforcement after update of credit_enforcement on organizations
      for each row when (old.credit_enforcement is distinct from new.credit_enforcement)
      execute function notify_keys_of_organization();

    alter table api_keys add rate_limit_requests integer check (rate_limit_requests between 1 and 10000);

    -- One row for each scope: when its requests of the running window were, in Unix milliseconds, oldest first.
    -- Unlogged: after a crash of Postgres every window begins anew, and no request waits for the disk.
    create unlogged table rate_limit_windows (
      scope text primary key,
      hits bigint[] not null,
      taken boolean not null,
      asked_at bigint not null
    ) with (fillfactor = 50);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop table rate_limit_windows;
    alter table api_keys drop rate_limit_requests;
    drop trigger organizations_notify_enforcement on organizations;
    drop function notify_keys_of_organization();
    drop trigger workspaces_notify_byok_choice on workspaces;
    drop function notify_keys_of_byok_choice();
    drop table workspace_budgets;
    drop function notify_keys_of_workspace();
  `);
}
