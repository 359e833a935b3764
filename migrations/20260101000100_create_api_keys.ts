import type { Knex } from 'knex';

/**
 * Keys are found by the SHA-256 of their token; the token itself is nowhere. A trigger announces every
 * change, whoever makes it, so that no replica trusts a cached key for longer than the notice travels.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
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
      last_used_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz,
      check ((kind = 'intern') = (intern_id is not null))
    );
    create index api_keys_organization on api_keys (organization_id);
    create index api_keys_workspace on api_keys (workspace_id, created_at desc);
    create index api_keys_creator on api_keys (creator_user_id);

    create function notify_api_key() returns trigger language plpgsql as $$
      begin
        perform pg_notify('sluice_api_keys', old.hash);
        return null;
      end $$;
    create trigger api_keys_notify after update or delete on api_keys
      for each row execute function notify_api_key();

    create table audit_log (
      id uuid primary key,
      organization_id uuid not null references organizations,
      key_hash text,
      action text not null,
      target text not null,
      request_id text,
      created_at timestamptz not null default now()
    );
    create index audit_log_organization on audit_log (organization_id, created_at desc);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop table audit_log;
    drop table api_keys;
    drop function notify_api_key();
  `);
}
