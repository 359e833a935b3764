/** Creates the tables of video jobs, their requests, submissions and outputs. */
import type { Knex } from 'knex';

/**
 * The row of a job is the promise to the customer; a workflow carries it out.
 *
 * `request_facts` has what is needed of the request after its submission; `job_requests` has the whole request, which
 * may hold megabytes of media, until the job ends. `request_bytes` is its size.
 *
 * `uses_default_callback` tells whether the callback URL is the default of the workspace, which receives selected types
 * of events only. `callback_signalled_at` is the time when a vendor's callback signalled the run; only one callback
 * does. A cancelled job may cost something, since its provider may not stop it. `waiting_reason`, `waiting_since` and
 * `next_try_at` tell what a job waits for until a provider accepts it; they keep the last wait.
 */
const VIDEO_JOBS = `
  create table video_jobs (
    id text primary key check (id ~ '^gen-vid-[0-9]+-[0-9A-Za-z]{20}$'),
    generation_id text not null unique,
    organization_id uuid not null references organizations,
    workspace_id uuid not null references workspaces,
    key_id bigint not null references api_keys (id),
    model text not null,
    endpoint_ids text[] not null check (cardinality(endpoint_ids) > 0),
    provider text not null,
    credential_id uuid,
    is_byok boolean not null default false,
    request_facts jsonb not null,
    request_bytes integer not null,
    client jsonb not null default '{}',
    previous_job_id text references video_jobs,
    callback_url text,
    uses_default_callback boolean not null default false,
    status text not null default 'pending'
      check (status in ('pending', 'in_progress', 'completed', 'failed', 'cancelled', 'expired')),
    price_nanos numeric(30, 0) not null check (price_nanos >= 0),
    cost_nanos numeric(30, 0),
    upstream_cost_nanos numeric(30, 0),
    run_id text,
    dispatched_at timestamptz,
    claimed_at timestamptz,
    submitted_at timestamptz,
    deadline_at timestamptz not null,
    callback_signalled_at timestamptz,
    cancel_requested_at timestamptz,
    waiting_reason text,
    waiting_since timestamptz,
    next_try_at timestamptz,
    vendor_status text,
    progress_percent smallint,
    checks integer not null default 0,
    consecutive_errors integer not null default 0,
    consecutive_not_found integer not null default 0,
    failure_code text,
    error text,
    outputs_expire_at timestamptz,
    ended_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null default now(),
    check ((status in ('completed', 'failed', 'cancelled', 'expired')) = (ended_at is not null)),
    constraint video_jobs_cost_check check (
      case status when 'completed' then cost_nanos is not null when 'cancelled' then true else cost_nanos is null end
    )
  );

  create table job_requests (
    job_id text primary key references video_jobs,
    -- json, not jsonb: the text is stored and read as a whole, and never searched.
    request json not null
  );
`;

const VIDEO_JOB_INDEXES = `
  create index video_jobs_previous on video_jobs (previous_job_id) where previous_job_id is not null;

  -- Lists, newest first. Most jobs complete, so only the other statuses have an index.
  create index video_jobs_workspace on video_jobs (workspace_id, created_at desc, id desc);
  create index video_jobs_organization on video_jobs (organization_id, created_at desc, id desc);
  create index video_jobs_model on video_jobs (organization_id, model, created_at desc, id desc);
  create index video_jobs_ended_without_video on video_jobs (organization_id, status, created_at desc, id desc)
    where status in ('failed', 'cancelled', 'expired');

  -- The price of open jobs counts under limits and budgets as a reservation.
  create index video_jobs_open_by_key on video_jobs (key_id)
    include (price_nanos) where status in ('pending', 'in_progress');
  -- The number of an organization's open jobs is limited, and so is the size of their requests.
  create index video_jobs_open_of_organization on video_jobs (organization_id)
    include (price_nanos, request_bytes) where status in ('pending', 'in_progress');
  create index video_jobs_open_by_workspace on video_jobs (workspace_id)
    include (price_nanos, is_byok) where status in ('pending', 'in_progress');

  -- The sweep looks for jobs that no run works on, or that are past their deadline. Organizations take turns.
  create index video_jobs_undispatched on video_jobs (created_at)
    where status = 'pending' and dispatched_at is null;
  create index video_jobs_waiting on video_jobs (organization_id, created_at)
    where status = 'pending' and dispatched_at is null;
  create index video_jobs_unclaimed on video_jobs (dispatched_at)
    where status = 'pending' and dispatched_at is not null and claimed_at is null;
  create index video_jobs_deadline on video_jobs (deadline_at) where status in ('pending', 'in_progress');

  -- The retention deletes jobs in the order of their end.
  create index video_jobs_ended on video_jobs (ended_at) where ended_at is not null;
`;

/**
 * Callers wait for a change of a job's status. The trigger announces it to every API process, so that no process has to
 * poll.
 */
const NOTICES = `
  create function notify_video_job() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_video_jobs', new.id || ' ' || new.status);
      return null;
    end $$;
  create trigger video_jobs_notify after update of status on video_jobs
    for each row when (old.status <> new.status) execute function notify_video_job();
`;

/**
 * A submission is one attempt to make a provider produce the video. At most one submission of a job is live.
 *
 * A provider may still work on a submission after the job has ended: a leftover. `leftover_since` is the time since
 * which it should stop, and `next_cancel_at` the time of the next cancel request. `closed_at` is the time since which
 * nothing is left to find out: the provider ended the job by itself, accepted the cancellation or does not know the
 * job, or an operator checked it. `cancel_cost_nanos` is what the job costs if it is cancelled. `refusal` tells the
 * customer why a provider refused; `reason` is the text for operators.
 */
const JOB_SUBMISSIONS = `
  create table job_submissions (
    job_id text not null references video_jobs,
    n smallint not null,
    endpoint_id text not null,
    provider text not null,
    idempotency_key text not null,
    state text not null check (state in ('sending', 'accepted', 'refused', 'unconfirmed', 'orphaned')),
    operation jsonb,
    outputs jsonb,
    refusal text,
    reason text,
    sent_at timestamptz not null default now(),
    answered_at timestamptz,
    leftover_since timestamptz,
    next_cancel_at timestamptz,
    closed_at timestamptz,
    cancel_cost_nanos numeric(30, 0),
    primary key (job_id, n)
  );
  create unique index job_submissions_one_live on job_submissions (job_id)
    where state in ('sending', 'accepted');
  create index job_submissions_unconfirmed on job_submissions (sent_at)
    where (state = 'unconfirmed' or leftover_since is not null) and closed_at is null;
  create index job_submissions_next_cancel on job_submissions (next_cancel_at) where next_cancel_at is not null;
  -- A vendor's callback may name the job by the vendor's own id.
  create index job_submissions_operation on job_submissions (provider, (operation ->> 'id'))
    where operation is not null;
`;

/**
 * A worker records a file in `intended_outputs` before it uploads it to the object store, and in `job_outputs`
 * afterwards. If the worker dies in between, the file is still found and removed. Two tables ensure that no reader
 * takes a planned file for a stored one.
 */
const JOB_OUTPUTS = `
  create table intended_outputs (
    job_id text not null references video_jobs,
    index smallint not null,
    object_key text not null,
    created_at timestamptz not null default now(),
    primary key (job_id, index)
  );

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
  create index job_outputs_held on job_outputs (job_id, index) where removed_at is null;
`;

/** Creates video jobs, their submissions to providers and their files. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [VIDEO_JOBS, VIDEO_JOB_INDEXES, NOTICES, JOB_SUBMISSIONS, JOB_OUTPUTS])
    await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table job_outputs, intended_outputs, job_submissions, job_requests, video_jobs;
    drop function notify_video_job();
  `);
}
