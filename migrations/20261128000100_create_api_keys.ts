/** Creates the tables of API keys and workspace budgets, and the triggers that announce their changes. */
import type { Knex } from 'knex';

/**
 * Keys are found by the SHA-256 of their token. The token itself is not stored.
 *
 * A deleted key keeps its row and hash, because jobs and usage name it. `limit_changed_at` is the time of the last
 * change of the limit, or of what counts under it: an alert about a period that has just ended is valid only if the
 * limit was the same then. Jobs and the ledger refer to a key by `id`.
 */
const API_KEYS = `
  create table api_keys (
    id bigint generated always as identity unique,
    hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
    kind text not null check (kind in ('regular', 'management', 'intern')),
    name text not null,
    label text not null,
    organization_id uuid not null references organizations,
    workspace_id uuid not null references workspaces,
    intern_id uuid,
    creator_user_id text references users,
    identity_subject text,
    external_user text,
    disabled boolean not null default false,
    expires_at timestamptz,
    limit_nanos numeric(30, 0) check (limit_nanos >= 0),
    limit_reset text check (limit_reset in ('daily', 'weekly', 'monthly')),
    include_byok_in_limit boolean not null default false,
    limit_changed_at timestamptz,
    rate_limit_requests integer check (rate_limit_requests between 1 and 10000),
    last_used_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    deleted_at timestamptz,
    check ((kind = 'intern') = (intern_id is not null))
  )
  -- last_used_at is written often. With room in its page, such a write needs no new entry in any index.
  with (fillfactor = 80);
  create index api_keys_organization on api_keys (organization_id);
  create index api_keys_workspace on api_keys (workspace_id);
  create index api_keys_newest on api_keys (workspace_id, id desc)
    where kind = 'regular' and deleted_at is null;
  create index api_keys_creator on api_keys (creator_user_id);
  create index api_keys_intern on api_keys (intern_id) where intern_id is not null;
  -- A directory finds the keys of a leaver by their subject.
  create index api_keys_subject on api_keys (organization_id, lower(identity_subject))
    where identity_subject is not null;
  -- Workers page through the keys that have a limit. Most keys may have none.
  create index api_keys_limited on api_keys (id) where limit_nanos > 0 and deleted_at is null;

  create function note_limit_change() returns trigger language plpgsql as $$
    begin
      new.limit_changed_at := clock_timestamp();
      return new;
    end $$;
  create trigger api_keys_note_limit_change before update on api_keys for each row
    when ((old.limit_nanos, old.limit_reset, old.include_byok_in_limit)
          is distinct from (new.limit_nanos, new.limit_reset, new.include_byok_in_limit))
    execute function note_limit_change();
`;

/** Budgets limit what all keys of a workspace together spend in a period. */
const WORKSPACE_BUDGETS = `
  create table workspace_budgets (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    interval text not null check (interval in ('daily', 'weekly', 'monthly', 'lifetime')),
    limit_nanos numeric(30, 0) not null check (limit_nanos >= 0),
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    unique (workspace_id, interval)
  );
`;

/**
 * Every API process caches keys, together with what limits them. These triggers announce each change, so that no
 * process uses an outdated key after the notice arrives.
 *
 * A notice makes every process drop the key from its cache. Therefore a new `last_used_at` is not announced, and
 * changes of a workspace or an organization are announced only if they affect keys.
 */
const NOTICES = `
  create function notify_api_key() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_api_keys', old.hash);
      return null;
    end $$;
  create trigger api_keys_notify_change after update on api_keys for each row
    when (to_jsonb(old) - 'last_used_at' is distinct from to_jsonb(new) - 'last_used_at')
    execute function notify_api_key();
  create trigger api_keys_notify_delete after delete on api_keys for each row
    execute function notify_api_key();

  create function notify_keys_of_workspace() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_api_keys', hash) from api_keys
      where workspace_id in (old.workspace_id, new.workspace_id) and deleted_at is null;
      return null;
    end $$;
  create trigger workspace_budgets_notify_change after update on workspace_budgets for each row
    when (old.limit_nanos is distinct from new.limit_nanos) execute function notify_keys_of_workspace();
  create trigger workspace_budgets_notify after insert or delete on workspace_budgets for each row
    execute function notify_keys_of_workspace();

  create function notify_keys_of_byok_choice() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_api_keys', hash) from api_keys where workspace_id = new.id and deleted_at is null;
      return null;
    end $$;
  create trigger workspaces_notify_byok_choice after update of include_byok_in_budgets on workspaces
    for each row when (old.include_byok_in_budgets is distinct from new.include_byok_in_budgets)
    execute function notify_keys_of_byok_choice();

  -- The thresholds of the default workspace hold for the credit of the organization, which may limit all its keys.
  create function notify_keys_of_alert_thresholds() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_api_keys', hash) from api_keys
      where workspace_id = new.id or (new.is_default and organization_id = new.organization_id);
      return null;
    end $$;
  create trigger workspaces_notify_alert_thresholds after update of budget_alert_thresholds on workspaces
    for each row when (old.budget_alert_thresholds is distinct from new.budget_alert_thresholds)
    execute function notify_keys_of_alert_thresholds();

  create function notify_keys_of_organization() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_api_keys', hash) from api_keys where organization_id = new.id and deleted_at is null;
      return null;
    end $$;
  create trigger organizations_notify_enforcement after update of credit_enforcement on organizations
    for each row when (old.credit_enforcement is distinct from new.credit_enforcement)
    execute function notify_keys_of_organization();
  create trigger organizations_notify_disabled after update of disabled_at on organizations
    for each row when (old.disabled_at is distinct from new.disabled_at)
    execute function notify_keys_of_organization();
`;

/** Creates keys, the budgets of workspaces, and the triggers that announce changes to API processes. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [API_KEYS, WORKSPACE_BUDGETS, NOTICES]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger organizations_notify_enforcement on organizations;
    drop trigger organizations_notify_disabled on organizations;
    drop trigger workspaces_notify_alert_thresholds on workspaces;
    drop trigger workspaces_notify_byok_choice on workspaces;
    drop table workspace_budgets, api_keys;
    drop function notify_api_key(), notify_keys_of_workspace(), notify_keys_of_byok_choice(),
      notify_keys_of_alert_thresholds(), notify_keys_of_organization(), note_limit_change();
  `);
}
