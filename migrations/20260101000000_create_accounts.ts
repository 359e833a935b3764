import type { Knex } from 'knex';

/** Organizations, their people, and workspaces (design: §4). */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table organizations (
      id uuid primary key,
      name text not null,
      credit_enforcement boolean not null default false,
      entitlements text[] not null default '{}',
      created_at timestamptz not null default now()
    );
    create table users (
      id text primary key check (id ~ '^user_[0-9A-Za-z]+$'),
      email text not null,
      first_name text,
      last_name text,
      created_at timestamptz not null default now()
    );
    create table organization_members (
      organization_id uuid not null references organizations,
      user_id text not null references users,
      role text not null check (role in ('org:admin', 'org:member')),
      created_at timestamptz not null default now(),
      primary key (organization_id, user_id)
    );
    create index organization_members_user on organization_members (user_id);
    create table workspaces (
      id uuid primary key,
      organization_id uuid not null references organizations,
      name text not null,
      slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
      description text,
      is_default boolean not null default false,
      created_by text references users,
      default_callback_url text,
      created_at timestamptz not null default now(),
      updated_at timestamptz,
      unique (organization_id, slug)
    );
    create unique index workspaces_one_default on workspaces (organization_id) where is_default;
    create index workspaces_created_by on workspaces (created_by);
    create table workspace_members (
      id uuid primary key,
      workspace_id uuid not null references workspaces,
      user_id text not null references users,
      role text not null check (role in ('admin', 'member')),
      created_at timestamptz not null default now(),
      unique (workspace_id, user_id)
    );
    create index workspace_members_user on workspace_members (user_id);
    create table credit_entries (
      id uuid primary key,
      organization_id uuid not null references organizations,
      amount_nanos numeric(30, 0) not null,
      note text not null default '',
      created_at timestamptz not null default now()
    );
    create index credit_entries_organization on credit_entries (organization_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop table credit_entries, workspace_members, workspaces, organization_members, users, organizations;
  `);
}
