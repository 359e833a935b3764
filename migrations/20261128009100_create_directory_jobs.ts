/** Creates the tables of directory syncs, their changes and their staged data. */
import type { Knex } from 'knex';

/**
 * A job is one synchronization with a directory. An organization has at most one open job. `cursor` is its progress,
 * from which another run can continue.
 */
const JOBS = `
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
`;

/**
 * A change is what a job did, or would do. `job_id` is null for a change that the directory pushed without a job.
 * `directory_disabled_keys` lists keys that were disabled because their owner left, so that an operator can enable them
 * again.
 */
const CHANGES = `
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
`;

/**
 * The stage tables hold what a job has read from its source until the job ends. `directory_job_people` has the people
 * that the job must still apply; people who lose something (`leaves`) come last. The transaction that applies a person
 * deletes the row, so that the next run continues with the remaining people.
 *
 * These tables have no foreign keys, because checking one costs as much as writing the row. A job locks its own row
 * while it writes here, and deletes its rows when it ends.
 */
const STAGES = `
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

  create table directory_job_people (
    job_id uuid not null,
    person_id uuid not null,
    leaves boolean not null,
    primary key (job_id, person_id)
  );
  create index directory_job_people_next on directory_job_people (job_id, leaves, person_id);
`;

/** Creates synchronizations with directories, their changes, and their staged data. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [JOBS, CHANGES, STAGES]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table directory_job_people, directory_stage_members, directory_stage_groups, directory_stage_people,
      directory_disabled_keys, directory_changes, directory_jobs;
  `);
}
