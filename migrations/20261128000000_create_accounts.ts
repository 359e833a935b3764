/** Creates the tables of organizations, users, members, workspaces, end users and the audit log. */
import type { Knex } from 'knex';

/**
 * Organizations pay, and own workspaces, keys and everything else. While `disabled_at` is set, no key and no directory
 * token of the organization is valid. API processes cache the entitlements of an organization, so a trigger announces
 * each change of them.
 */
const ORGANIZATIONS = `
  create table organizations (
    id uuid primary key,
    name text not null,
    credit_enforcement boolean not null default false,
    is_filtered_model_catalog_enabled boolean not null default false,
    entitlements text[] not null default '{}',
    disabled_at timestamptz,
    created_at timestamptz not null default now()
  );

  create function notify_organization() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_organizations', old.id::text);
      return null;
    end $$;
  create trigger organizations_notify after update on organizations for each row
    when (old.entitlements is distinct from new.entitlements) execute function notify_organization();
`;

/** Users are people. A user is a member of an organization, and can be a member of its workspaces. */
const USERS = `
  create table users (
    id text primary key check (id ~ '^user_[0-9A-Za-z]+$'),
    email text not null,
    first_name text,
    last_name text,
    created_at timestamptz not null default now()
  );
  -- A directory recognizes its people by their addresses.
  create index users_address on users (lower(email));

  create table organization_members (
    organization_id uuid not null references organizations,
    user_id text not null references users,
    role text not null check (role in ('org:admin', 'org:member')),
    created_at timestamptz not null default now(),
    primary key (organization_id, user_id)
  );
  create index organization_members_user on organization_members (user_id);
  -- Each departure looks for the last administrator.
  create index organization_members_admins on organization_members (organization_id) where role = 'org:admin';
`;

/**
 * Workspaces hold keys and the settings of their requests.
 *
 * A deleted workspace keeps its row, because jobs, keys and usage name it. Its slug becomes free, since the unique
 * index covers only workspaces that are not deleted. The code refers to that index by its name.
 *
 * `default_guardrail_id` is the id of a guardrail that is created when it is first configured. `io_logging_api_key_ids`
 * has no foreign key, because the id of a deleted or moved key matches nothing. `webhook_event_types` selects what the
 * default callback URL receives; null selects everything. `budget_alert_thresholds` are percentages of a limit; those
 * of the default workspace also apply to the credit of the organization.
 */
const WORKSPACES = `
  create table workspaces (
    id uuid primary key,
    organization_id uuid not null references organizations,
    name text not null,
    slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
    description text,
    is_default boolean not null default false,
    created_by text references users,
    default_callback_url text,
    webhook_event_types text[],
    default_guardrail_id uuid not null unique default gen_random_uuid(),
    default_text_model text,
    default_image_model text,
    default_provider_sort text
      check (default_provider_sort in ('price', 'throughput', 'latency', 'exacto')),
    disabled_server_tools text[] check (cardinality(disabled_server_tools) > 0),
    io_logging_api_key_ids bigint[],
    io_logging_sampling_rate double precision not null default 1
      check (io_logging_sampling_rate between 0.0001 and 1),
    is_data_discount_logging_enabled boolean not null default false,
    is_observability_broadcast_enabled boolean not null default true,
    is_observability_io_logging_enabled boolean not null default false,
    include_byok_in_budgets boolean not null default false,
    budget_alert_thresholds smallint[] not null default '{50,80,100}'
      check (1 <= all (budget_alert_thresholds) and 100 >= all (budget_alert_thresholds)),
    budgets_changed_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    deleted_at timestamptz,
    constraint workspaces_default_stays check (not is_default or deleted_at is null)
  );
  create unique index workspaces_organization_id_slug_key on workspaces (organization_id, slug)
    where deleted_at is null;
  create unique index workspaces_one_default on workspaces (organization_id) where is_default;
  create index workspaces_oldest on workspaces (organization_id, created_at, id);
  create index workspaces_created_by on workspaces (created_by);

  -- Every request depends on the settings of its workspace, which each process keeps in memory.
  create function notify_workspace() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_workspaces', old.id::text);
      return null;
    end $$;
  create trigger workspaces_notify after update or delete on workspaces
    for each row execute function notify_workspace();

  -- An alert about a period that has just ended holds only if the limit was the same then.
  create function note_budgets_change() returns trigger language plpgsql as $$
    begin
      new.budgets_changed_at := clock_timestamp();
      return new;
    end $$;
  create trigger workspaces_note_budgets_change before update on workspaces for each row
    when ((old.include_byok_in_budgets, old.budget_alert_thresholds)
          is distinct from (new.include_byok_in_budgets, new.budget_alert_thresholds))
    execute function note_budgets_change();

  -- Members that somebody added by hand; directory_memberships has those of a directory.
  create table workspace_members (
    id uuid primary key,
    workspace_id uuid not null references workspaces,
    user_id text not null references users,
    role text not null check (role in ('admin', 'member')),
    created_at timestamptz not null default now(),
    unique (workspace_id, user_id)
  );
  create index workspace_members_user on workspace_members (user_id);
`;

/**
 * End users are the people that an organization registered. The tracking string is its own identifier, compared byte by
 * byte.
 */
const END_USERS = `
  create table end_users (
    organization_id uuid not null references organizations,
    external_user text collate "C" not null check (char_length(external_user) between 1 and 512),
    is_active boolean not null default true,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organization_id, external_user)
  );
  create index end_users_oldest on end_users (organization_id, created_at);
`;

/**
 * The audit log records who changed what. Each filter of its list has an index. Targets and keys are indexed by a hash,
 * because a target may be too long for an index entry.
 */
const AUDIT_LOG = `
  create table audit_log (
    id uuid primary key,
    organization_id uuid not null references organizations,
    key_hash text,
    is_system boolean not null default false,
    action text not null,
    target text not null,
    request_id text,
    created_at timestamptz not null default now()
  );
  create index audit_log_organization on audit_log (organization_id, created_at desc);
  create index audit_log_target on audit_log (organization_id, hashtextextended(target, 0), created_at desc);
  create index audit_log_key on audit_log (organization_id, hashtextextended(key_hash, 0), created_at desc);
  create index audit_log_action on audit_log (organization_id, action, created_at desc);
  -- The retention deletes the oldest entries first.
  create index audit_log_created on audit_log (created_at);
`;

/** Creates organizations, users, workspaces, end users and the audit log. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [ORGANIZATIONS, USERS, WORKSPACES, END_USERS, AUDIT_LOG]) {
    await knex.raw(part);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table audit_log, end_users, workspace_members, workspaces, organization_members, users, organizations;
    drop function notify_organization(), notify_workspace(), note_budgets_change();
  `);
}
