/** Creates the tables of interns, vaults, secrets, signing keys and the egress log. */
import type { Knex } from 'knex';

/**
 * An intern is an agent that runs on a host of its owner. `creator` is the user who created it, or the hash of the key
 * if that key belongs to no user. `request_hash` is a hash of the request that created it, by which a repeated request
 * finds it. `attached_vault_id` is the vault of another intern. If the lending intern is deleted, the id stays, and
 * the borrowing intern has no secrets until the vault is detached.
 */
const INTERNS = `
  create table interns (
    id uuid primary key,
    organization_id uuid not null references organizations,
    workspace_id uuid not null references workspaces,
    creator text not null,
    name text not null,
    description text,
    instructions text,
    model text,
    status text not null default 'queued' check (status in ('awaiting_slack_install', 'queued', 'provisioning',
      'running', 'failed', 'stopped', 'destroying', 'destroy_failed')),
    progress jsonb,
    hostname text,
    last_failure_message text,
    attached_vault_id uuid,
    request_hash text not null,
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp(),
    constraint interns_name unique (workspace_id, creator, name)
  );
  create index interns_newest on interns (workspace_id, created_at desc, id desc);
  create index interns_organization on interns (organization_id);
`;

/**
 * A vault holds secrets. It belongs to an intern, to a workspace, or to the organization alone. Vaults of the last kind
 * were created before workspaces existed; they count for the default workspace, and no new ones are created.
 * `sealed_key` is the random key of the vault's fingerprints.
 *
 * Any host may receive a secret with null `hosts`, which was stored before secrets had hosts. `version` changes with
 * each value.
 */
const VAULTS = `
  create table vaults (
    id uuid primary key,
    organization_id uuid not null references organizations,
    workspace_id uuid references workspaces,
    intern_id uuid unique references interns on delete cascade,
    sealed_key text not null,
    created_at timestamptz not null default clock_timestamp(),
    check (intern_id is null or workspace_id is not null)
  );
  create unique index vaults_workspace on vaults (workspace_id) where intern_id is null;
  create unique index vaults_organization on vaults (organization_id) where workspace_id is null;
  create index vaults_of_workspace on vaults (workspace_id);
  create index vaults_of_organization on vaults (organization_id);

  create table vault_secrets (
    vault_id uuid not null references vaults on delete cascade,
    name text collate "C" not null,
    hosts text[],
    fingerprint text,
    sealed_value text not null,
    version uuid not null,
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp(),
    primary key (vault_id, name)
  );
`;

/**
 * Signing keys belong to the deployment. A key signs from `signs_from` on, until a later key does. A withdrawn key
 * neither signs nor is published.
 */
const DAEMON_SIGNING_KEYS = `
  create table daemon_signing_keys (
    kid text primary key,
    public_key text not null,
    sealed_private_key text not null,
    signs_from timestamptz not null,
    withdrawn_at timestamptz,
    created_at timestamptz not null default clock_timestamp()
  );
`;

/**
 * The egress log has a row for each request that was sent to a host for an intern. `bytes` is null until the end of the
 * request is recorded; `status` is also null if the host did not answer. Each row is changed once, soon after it was
 * written. Free space in its page and few indexes make that cheap.
 */
const EGRESS_LOG = `
  create table egress_log (
    id bigint generated always as identity,
    organization_id uuid not null,
    intern_id uuid not null,
    key_hash text not null,
    method text not null,
    host text not null,
    names text[] not null,
    status integer,
    bytes bigint,
    created_at timestamptz not null default clock_timestamp(),
    primary key (intern_id, id)
  ) with (fillfactor = 60);
  create index egress_log_created on egress_log using brin (created_at);
`;

/**
 * Processes cache interns and vaults, and read them again after a notice. A changed attachment or a deletion announces
 * the id of the intern; a changed secret or a deletion announces the id of the vault. A workspace's vault that is
 * created or deleted also announces its place, `organization/workspace`; the second part is empty for a vault from
 * before workspaces.
 */
const NOTICES = `
  create function notify_intern() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_interns', old.id::text);
      return null;
    end $$;
  create trigger interns_notify_change after update on interns for each row
    when (old.attached_vault_id is distinct from new.attached_vault_id) execute function notify_intern();
  create trigger interns_notify_delete after delete on interns for each row execute function notify_intern();

  create function notify_vault() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_vaults', coalesce(new.vault_id, old.vault_id)::text);
      return null;
    end $$;
  create trigger vault_secrets_notify after insert or update or delete on vault_secrets
    for each row execute function notify_vault();

  create function notify_whole_vault() returns trigger language plpgsql as $$
    declare
      vault vaults := coalesce(new, old);
    begin
      perform pg_notify('sluice_vaults', concat_ws(' ', vault.id,
        case when vault.intern_id is null then concat(vault.organization_id, '/', vault.workspace_id) end));
      return null;
    end $$;
  create trigger vaults_notify_insert after insert on vaults
    for each row when (new.intern_id is null) execute function notify_whole_vault();
  create trigger vaults_notify_delete after delete on vaults
    for each row execute function notify_whole_vault();

  create function notify_daemon_keys() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_daemon_keys', '');
      return null;
    end $$;
  create trigger daemon_signing_keys_notify after insert or update or delete on daemon_signing_keys
    for each statement execute function notify_daemon_keys();
`;

/** Creates interns, their vaults, the keys that sign for them, and the log of their requests. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [INTERNS, VAULTS, DAEMON_SIGNING_KEYS, EGRESS_LOG, NOTICES]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table egress_log, daemon_signing_keys, vault_secrets, vaults, interns;
    drop function notify_intern(), notify_vault(), notify_whole_vault(), notify_daemon_keys();
  `);
}
