import type { Knex } from 'knex';

/**
 * Holds what directories (Okta, Entra ID, any SCIM 2.0 server) say about an organization's people and groups, and what
 * follows from it.
 *
 * `directory_people.user_id` is the member that a person is; it stays when the person leaves, so that whoever returns is the
 * same user. `resource` has the SCIM attributes of the person, those of the columns included.
 * `removal_held_at` says that the person should lose something and that too many were to lose something within an hour.
 * `pending` says that a run has to apply what is stored: `guarded` if too many removals must stop it.
 * A deleted person or group keeps its row.
 *
 * `directory_groups.member_count` lets a change of one member of a large group cost no more than that of a small one; null says
 * that somebody has to count again.
 * `directory_group_members.value` is the member as its group names it; `person_id` is null until such a person is known.
 *
 * `directory_memberships` is the directory's part of the members of workspaces; `workspace_members` is the part made by hand.
 * `directory_left_memberships` remembers the parts by hand that a leaver lost, for a return.
 *
 * `directory_disabled_keys` names the keys that were disabled because their owner left.
 *
 * The three stage tables hold what one job has read of its source, until the job ends. They have no foreign key: a job keeps its
 * row locked while it writes there and deletes all of it when it ends, and a check of each row costs as much as the row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table scim_tokens (
      id uuid primary key,
      organization_id uuid not null references organizations,
      hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
      label text not null,
      created_at timestamptz not null default clock_timestamp(),
      last_used_at timestamptz
    );
    create index scim_tokens_organization on scim_tokens (organization_id, created_at);

    create table scim_sources (
      organization_id uuid primary key references organizations,
      type text not null check (type in ('pushed', 'scim')),
      base_url text,
      sealed_token text,
      token_hint text,
      interval_minutes integer not null check (interval_minutes between 5 and 1440),
      disable_keys text not null check (disable_keys in ('all', 'identified')),
      next_sync_at timestamptz,
      full_sync_at timestamptz,
      changed_since timestamptz,
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp(),
      check ((type = 'scim') = (base_url is not null)),
      check ((type = 'scim') = (sealed_token is not null))
    );
    create index scim_sources_due on scim_sources (next_sync_at) where type = 'scim';

    create table directory_people (
      id uuid primary key,
      organization_id uuid not null references organizations,
      user_id text references users,
      source_id text,
      external_id text,
      user_name text not null,
      email text not null,
      given_name text,
      family_name text,
      active boolean not null,
      resource jsonb not null,
      version bigint not null default 1,
      removal_held_at timestamptz,
      pending text check (pending in ('guarded', 'free')),
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp(),
      deleted_at timestamptz
    );
    create unique index directory_people_user_name on directory_people (organization_id, lower(user_name))
      where deleted_at is null;
    create unique index directory_people_user on directory_people (user_id) where deleted_at is null;
    create unique index directory_people_source on directory_people (organization_id, source_id)
      where source_id is not null;
    create index directory_people_names on directory_people (organization_id, lower(user_name));
    create index directory_people_external on directory_people (organization_id, external_id);
    create index directory_people_email on directory_people (organization_id, lower(email));
    create index directory_people_oldest on directory_people (organization_id, created_at, id)
      where deleted_at is null;
    create index directory_people_users on directory_people (user_id);
    create index directory_people_pending on directory_people (organization_id, id) where pending is not null;
    create index directory_people_held on directory_people (organization_id) where removal_held_at is not null;

    create table directory_groups (
      id uuid primary key,
      organization_id uuid not null references organizations,
      source_id text,
      external_id text,
      display_name text not null,
      resource jsonb not null default '{}',
      member_count integer,
      version bigint not null default 1,
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp(),
      deleted_at timestamptz
    );
    create unique index directory_groups_source on directory_groups (organization_id, source_id)
      where source_id is not null;
    create index directory_groups_name on directory_groups (organization_id, lower(display_name));
    create index directory_groups_external on directory_groups (organization_id, external_id);
    create index directory_groups_oldest on directory_groups (organization_id, created_at, id)
      where deleted_at is null;

    create table directory_group_members (
      group_id uuid not null references directory_groups on delete cascade,
      value text not null,
      person_id uuid references directory_people on delete cascade,
      primary key (group_id, value)
    );
    create index directory_group_members_person on directory_group_members (person_id, group_id);
    create index directory_group_members_unknown on directory_group_members (value) where person_id is null;

    create table directory_mappings (
      id uuid primary key,
      organization_id uuid not null references organizations,
      group_id uuid not null references directory_groups on delete cascade,
      workspace_id uuid not null references workspaces,
      role text not null check (role in ('admin', 'member')),
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp(),
      unique (group_id, workspace_id)
    );
    create index directory_mappings_organization on directory_mappings (organization_id, created_at, id);
    create index directory_mappings_workspace on directory_mappings (workspace_id);

    create table directory_memberships (
      workspace_id uuid not null references workspaces,
      user_id text not null references users,
      id uuid not null,
      role text not null check (role in ('admin', 'member')),
      created_at timestamptz not null default clock_timestamp(),
      primary key (workspace_id, user_id)
    );
    create index directory_memberships_user on directory_memberships (user_id);

    create table directory_left_memberships (
      user_id text not null references users,
      workspace_id uuid not null references workspaces,
      primary key (user_id, workspace_id)
    );
    create index directory_left_memberships_workspace on directory_left_memberships (workspace_id);

    create table directory_jobs (
      id uuid primary key,
      organization_id uuid not null references organizations,
      source text not null check (source in ('pushed', 'scim')),
      trigger text not null check (trigger in ('request', 'schedule', 'push', 'mapping')),
      dry_run boolean not null,
      allow_deletions boolean not null,
      is_full boolean not null,
      state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed')),
      run_id text,
      cursor jsonb not null default '{}',
      progress jsonb not null default '{}',
      counts jsonb not null default '{}',
      warnings jsonb not null default '[]',
      error_reason text,
      synced_groups integer,
      deleted_groups integer,
      created_at timestamptz not null default clock_timestamp(),
      dispatched_at timestamptz,
      started_at timestamptz,
      finished_at timestamptz,
      check ((state in ('succeeded', 'failed')) = (finished_at is not null)),
      check ((state = 'failed') = (error_reason is not null))
    );
    create unique index directory_jobs_open on directory_jobs (organization_id)
      where state in ('queued', 'running');
    create index directory_jobs_newest on directory_jobs (organization_id, created_at desc, id desc);
    create index directory_jobs_finished on directory_jobs (finished_at);

    create table directory_changes (
      n bigint generated always as identity primary key,
      organization_id uuid not null references organizations,
      job_id uuid references directory_jobs on delete cascade,
      kind text not null,
      user_id text,
      person_id uuid,
      workspace_id uuid,
      group_id uuid,
      key_hash text,
      name text not null,
      from_value text,
      to_value text,
      is_removal boolean not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create index directory_changes_job on directory_changes (job_id, n);
    create index directory_changes_pushed on directory_changes (organization_id, created_at)
      where job_id is null and is_removal;
    create index directory_changes_old on directory_changes (created_at);

    create table directory_disabled_keys (
      key_hash text primary key references api_keys (hash) on delete cascade,
      organization_id uuid not null references organizations,
      user_id text not null references users,
      job_id uuid references directory_jobs on delete set null,
      disabled_at timestamptz not null default clock_timestamp()
    );
    create index directory_disabled_keys_user on directory_disabled_keys (user_id);
    create index directory_disabled_keys_job on directory_disabled_keys (job_id);
    create index directory_disabled_keys_organization on directory_disabled_keys (organization_id);

    create table directory_stage_people (
      job_id uuid not null,
      source_id text not null,
      person_id uuid,
      external_id text,
      user_name text not null,
      email text not null,
      given_name text,
      family_name text,
      active boolean not null,
      resource jsonb not null,
      primary key (job_id, source_id)
    );
    create index directory_stage_people_person on directory_stage_people (job_id, person_id);
    create table directory_stage_groups (
      job_id uuid not null,
      source_id text not null,
      group_id uuid,
      external_id text,
      display_name text not null,
      resource jsonb not null,
      primary key (job_id, source_id)
    );
    create index directory_stage_groups_group on directory_stage_groups (job_id, group_id);
    create table directory_stage_members (
      job_id uuid not null,
      group_source_id text not null,
      value text not null,
      primary key (job_id, value, group_source_id)
    );

    create index api_keys_subject on api_keys (organization_id, lower(identity_subject))
      where identity_subject is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop index api_keys_subject;
    drop table directory_stage_members, directory_stage_groups, directory_stage_people, directory_disabled_keys,
      directory_changes, directory_jobs, directory_left_memberships, directory_memberships, directory_mappings,
      directory_group_members, directory_groups, directory_people, scim_sources, scim_tokens;
  `);
}
