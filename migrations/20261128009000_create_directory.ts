/** Creates the tables of directory sources, tokens, people, groups and memberships. */
import type { Knex } from 'knex';

/**
 * A source is the directory of an organization (Okta, Entra ID, any SCIM 2.0 server). Either the directory pushes its
 * data with a SCIM token (`pushed`), or workers read it from a SCIM server (`scim`).
 */
const SOURCES = `
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
`;

/**
 * A person is the directory's record of someone. A deleted person keeps the row. `user_id` is the linked user; it stays
 * when the person leaves, so that a person who returns gets the same user. `resource` has all SCIM attributes of the
 * person, including those that have columns.
 *
 * `removal_held_at` says that the person should lose something, but too many people would have lost something within an
 * hour. `pending` says that a run must apply the stored data: `guarded` if the run must check for too many removals
 * first.
 *
 * `directory_former_names` has the user names and external ids that people had before. Keys may name a person by one of
 * them, and are disabled when that person leaves.
 */
const PEOPLE = `
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

  create table directory_former_names (
    person_id uuid not null references directory_people on delete cascade,
    name text not null,
    primary key (person_id, name)
  );
`;

/**
 * A group belongs to the directory. A deleted group keeps its row. `members` saves counting the members of a large
 * group after each change; null means that they must be counted again.
 *
 * `directory_group_members.value` is the member as its group names it. `person_id` is null until such a person is
 * known.
 */
const GROUPS = `
  create table directory_groups (
    id uuid primary key,
    organization_id uuid not null references organizations,
    source_id text,
    external_id text,
    display_name text not null,
    resource jsonb not null default '{}',
    members integer,
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
`;

/**
 * A mapping makes the people of a group members of a workspace. `directory_memberships` has the directory's part of the
 * memberships in workspaces; `workspace_members` has the manual part. `directory_left_memberships` has the manual
 * memberships that a person lost by leaving, and gets back on a return.
 */
const MEMBERSHIPS = `
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
`;

/** Creates the sources, people and groups of directories, and the memberships that follow from them. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [SOURCES, PEOPLE, GROUPS, MEMBERSHIPS]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table directory_left_memberships, directory_memberships, directory_mappings, directory_group_members,
      directory_groups, directory_former_names, directory_people, scim_sources, scim_tokens;
  `);
}
