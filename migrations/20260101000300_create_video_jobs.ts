import type { Knex } from 'knex';

/**
 * A job is a row first and a workflow second: the row is what was promised to the customer. Partial indexes
 * serve the sweep's questions and the sum of open reservations.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table video_jobs (
      id text primary key check (id ~ '^gen-vid-[0-9]+-[0-9A-Za-z]{20}$'),
      generation_id text not null unique,
      organization_id uuid not null references organizations,
      workspace_id uuid not null references workspaces,
      key_id bigint not null references api_keys (id),
      model text not null,
      endpoint_ids text[] not null check (cardinality(endpoint_ids) > 0),
      provider text not null,
      request jsonb not null,
      client jsonb not null default '{}',
      previous_job_id text references video_jobs,
      callback_url text,
      status text not null default 'pending'
        check (status in ('pending', 'in_progress', 'completed', 'failed', 'cancelled', 'expired')),
      price_nanos numeric(30, 0) not null check (price_nanos >= 0),
      cost_nanos numeric(30, 0),
      upstream_cost_nanos numeric(30, 0),
      is_byok boolean not null default false,
      run_id text,
      dispatched_at timestamptz,
      claimed_at timestamptz,
      submitted_at timestamptz,
      deadline_at timestamptz not null,
      cancel_requested_at timestamptz,
      upstream_word text,
      upstream_progress smallint,
      checks integer not null default 0,
      consecutive_errors integer not null default 0,
      consecutive_not_found integer not null default 0,
      failure_code text,
      error_message text,
      outputs_expire_at timestamptz,
      ended_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null default now(),
      check ((status in ('completed', 'failed', 'cancelled', 'expired')) = (ended_at is not null)),
      check ((cost_nanos is not null) = (status = 'completed'))
    );
    create index video_jobs_workspace on video_jobs (workspace_id, created_at desc, id desc);
    create index video_jobs_organization on video_jobs (organization_id, created_at desc, id desc);
    create index video_jobs_previous on video_jobs (previous_job_id) where previous_job_id is not null;
    create index video_jobs_open_by_key on video_jobs (key_id)
      include (price_nanos) where status in ('pending', 'in_progress');
    create index video_jobs_open_by_organization on video_jobs (organization_id)
      include (price_nanos) where status in ('pending', 'in_progress');
    create index video_jobs_undispatched on video_jobs (created_at)
      where status = 'pending' and dispatched_at is null;
    create index video_jobs_unclaimed on video_jobs (dispatched_at)
      where status = 'pending' and dispatched_at is not null and claimed_at is null;
    create index video_jobs_deadline on video_jobs (deadline_at) where status in ('pending', 'in_progress');
    create index video_jobs_outputs_expire on video_jobs (outputs_expire_at)
      where outputs_expire_at is not null;

    create table job_submissions (
      job_id text not null references video_jobs,
      n smallint not null,
      endpoint_id text not null,
      provider text not null,
      idempotency_key text not null,
      state text not null check (state in ('sending', 'accepted', 'refused', 'unconfirmed', 'orphaned')),
      operation jsonb,
      outputs jsonb,
      reason text,
      sent_at timestamptz not null default now(),
      answered_at timestamptz,
      primary key (job_id, n)
    );
    create unique index job_submissions_one_live on job_submissions (job_id)
      where state in ('sending', 'accepted');
    create index job_submissions_unconfirmed on job_submissions (sent_at) where state = 'unconfirmed';

    create table job_outputs (
      job_id text not null references video_jobs,
      index smallint not null,
      object_key text not null,
      content_type text not null,
      bytes bigint not null,
      sha256 text not null,
      created_at timestamptz not null default now(),
      removed_at timestamptz,
      primary key (job_id, index)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`drop table job_outputs, job_submissions, video_jobs;`);
}
